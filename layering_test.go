package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLayering: each package of the straight line main → cmd → repair →
// inspect → gapstore → codec knows only those to its right.
func TestLayering(t *testing.T) {
	const module = "github.com/gapctl/gapctl"
	layers := []string{"", "cmd", "repair", "inspect", "gapstore", "codec"}
	seen := map[string]bool{}
	for file, imports := range productImports(t, layers) {
		folder := filepath.ToSlash(filepath.Dir(file))
		if folder == "." {
			folder = ""
		}
		seen[folder] = true
		layer := slices.Index(layers, folder)
		for _, path := range imports {
			rest, own := strings.CutPrefix(path, module)
			name := strings.TrimPrefix(rest, "/")
			switch target := slices.Index(layers, name); {
			case !own:
				checkForeign(t, file, folder, path)
			case name == "internal/lab":
				if folder != "cmd" {
					t.Errorf("%s imports the lab; only cmd may", file)
				}
			case target <= layer:
				t.Errorf("%s imports %s, which is not to the right of it", file, path)
			case folder == "" && name != "cmd":
				t.Errorf("%s imports %s; main may only import cmd", file, path)
			}
		}
	}
	for _, layer := range []string{"", "cmd", "inspect", "gapstore", "codec"} {
		if !seen[layer] {
			t.Errorf("no files in layer %q: the test sees nothing", layer)
		}
	}
}

// checkForeign keeps Kafka's client, and input and output, out of codec.
func checkForeign(t *testing.T, file, folder, path string) {
	forbidden := map[string][]string{
		"codec":   {"github.com/twmb/franz-go", "net", "os", "log"},
		"inspect": {"github.com/spf13/"},
		"repair":  {"github.com/spf13/"},
	}
	for _, prefix := range forbidden[folder] {
		if path == prefix || strings.HasPrefix(path, prefix+"/") || strings.HasSuffix(prefix, "/") && strings.HasPrefix(path, prefix) {
			t.Errorf("%s imports %s", file, path)
		}
	}
}

// productImports is the imports of every file of the layers that ships.
func productImports(t *testing.T, layers []string) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, layer := range layers {
		files, err := filepath.Glob(filepath.Join(layer, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range parsed.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				imports[file] = append(imports[file], path)
			}
			if imports[file] == nil {
				imports[file] = []string{}
			}
		}
	}
	return imports
}

// TestNoStrayPackages: a package outside the line would escape the test above.
func TestNoStrayPackages(t *testing.T) {
	known := []string{".", "cmd", "repair", "inspect", "gapstore", "codec", "internal", "interop", "bench"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(filepath.Dir(path)), "/")
		if strings.HasSuffix(path, ".go") && !slices.Contains(known, top) {
			t.Errorf("%s belongs to no layer", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
