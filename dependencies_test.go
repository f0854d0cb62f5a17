package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dependency is a line of the table in docs/DEPENDENCIES.md.
type dependency struct{ module, why, ships, licence string }

func dependencies(t *testing.T) map[string]dependency {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", "DEPENDENCIES.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]dependency{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| (yes|no) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		table[m[1]] = dependency{m[1], m[2], m[3], m[4]}
	}
	return table
}

// TestDependencies: the table names exactly the modules that go.mod requires by
// itself, whether they ship, and the licence that each has.
func TestDependencies(t *testing.T) {
	listed := dependencies(t)
	shipped := shippedModules(t)
	out, err := exec.Command("go", "list", "-m", "-json", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct {
			Path, Dir      string
			Main, Indirect bool
		}
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if m.Main || m.Indirect {
			continue
		}
		d, ok := listed[m.Path]
		delete(listed, m.Path)
		switch want := licences(t, m.Dir); {
		case !ok:
			t.Errorf("docs/DEPENDENCIES.md lacks %s (%s)", m.Path, want)
		case d.licence != want:
			t.Errorf("%s has the licence %s, the table says %s", m.Path, want, d.licence)
		case (d.ships == "yes") != slices.Contains(shipped, m.Path):
			t.Errorf("%s ships: the table says %s", m.Path, d.ships)
		}
	}
	for module := range listed {
		t.Errorf("docs/DEPENDENCIES.md has %s, which go.mod does not require by itself", module)
	}
}

// shippedModules are the modules of the binary's packages, with every build tag.
func shippedModules(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-tags", "kerberos", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// licences are what the licence files in a directory say, by their own words.
func licences(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "LICEN[SC]E*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no licence file: %v", dir, err)
	}
	text := ""
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += strings.Join(strings.Fields(string(data)), " ")
	}
	var found []string
	for _, l := range []struct{ name, words string }{
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy"},
		{"Apache-2.0", "Apache License"},
		{"BSD-3-Clause", "Neither the name of"},
		{"MPL-2.0", "Mozilla Public License Version 2.0"},
	} {
		if strings.Contains(text, l.words) {
			found = append(found, l.name)
		}
	}
	return strings.Join(found, " and ")
}
