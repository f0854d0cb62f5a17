package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityTables: each threat in SECURITY.md has a test, and each test and
// transcript that it names is there.
func TestSecurityTables(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	threats := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "threat" {
			continue
		}
		threats++
		if len(cells) != 3 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		for proof := range strings.SplitSeq(cells[2], "; ") {
			checkProof(t, proof)
		}
	}
	if threats < 30 {
		t.Errorf("only %d threats found", threats)
	}
	for _, m := range regexp.MustCompile("`([a-z]+)`: ((?:`Test\\w+`(?:, )?)+)").FindAllStringSubmatch(string(text), -1) {
		checkProof(t, m[0])
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// checkProof checks names of the form "`package`: `TestName`, …", or
// "transcripts `name`, …".
func checkProof(t *testing.T, proof string) {
	t.Helper()
	where, names, ok := strings.Cut(proof, " ")
	if !ok || !quoted.MatchString(names) {
		t.Errorf("%q names no test", proof)
	}
	for _, m := range quoted.FindAllStringSubmatch(names, -1) {
		if strings.HasPrefix(where, "transcript") {
			if _, err := os.Stat(filepath.Join("testdata", "script", m[1]+".txtar")); err != nil {
				t.Errorf("%q: %v", proof, err)
			}
			continue
		}
		if folder := strings.Trim(where, "`:"); !hasTest(t, folder, m[1]) {
			t.Errorf("package %s has no test %s", folder, m[1])
		}
	}
}

// hasTest reports whether a package has a test of that name, whatever system it
// is for.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	if folder == "main" {
		folder = "."
	}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
