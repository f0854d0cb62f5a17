package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestManualRenders has every page read by the programs that people read it
// with, none of which may have anything to say about it.
func TestManualRenders(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "man", "*"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, tool := range []struct {
		name string
		args []string
	}{
		{"man", []string{"--warnings=w", "-Tutf8", "-l"}},
		{"groff", []string{"-ww", "-man", "-z", "-Tutf8"}},
		{"mandoc", []string{"-Tlint", "-Wwarning"}},
	} {
		t.Run(tool.name, func(t *testing.T) {
			needManualReader(t, tool.name)
			cmd := exec.Command(tool.name, append(tool.args, pages...)...)
			cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=80", "MANPAGER=cat")
			var out, complaints strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &complaints
			if tool.name == "mandoc" {
				cmd.Stdout = &complaints
			}
			if err := cmd.Run(); err != nil || complaints.Len() > 0 {
				t.Errorf("%v\n%s", err, complaints.String())
			}
			for _, page := range pages {
				name := strings.ToUpper(strings.TrimSuffix(filepath.Base(page), filepath.Ext(page)))
				if tool.name == "man" && !strings.Contains(out.String(), name+"("+filepath.Ext(page)[1:]+")") {
					t.Errorf("%s shows nothing", page)
				}
			}
		})
	}
}

func needManualReader(t *testing.T, tool string) {
	t.Helper()
	_, err := exec.LookPath(tool)
	if err == nil {
		return
	}
	if os.Getenv("GAPCTL_REQUIRE_PACKAGE") == "1" {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s: needs the packages man-db, groff and mandoc: %v\n", t.Name(), err)
	t.Skip(err)
}

// TestManualReferences: a page that another one sends the reader to is there.
func TestManualReferences(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	reference := regexp.MustCompile(`(gapctl[a-z-]*)\(([17])\)`)
	seen := 0
	for name, text := range files {
		for _, m := range reference.FindAllStringSubmatch(strings.ReplaceAll(text, `\-`, "-"), -1) {
			seen++
			if _, ok := files["man/"+m[1]+"."+m[2]]; !ok && strings.HasPrefix(name, "man/") {
				t.Errorf("%s refers to %s, which does not exist", name, m[0])
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d references: the test sees nothing", seen)
	}
}
