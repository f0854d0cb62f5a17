package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs runs what the documentation shows. Each "$ command" of a block that
// is marked as console runs in a shell, in order, and prints what stands below
// it. Every section has a fresh lab and a home of its own. A line that is only
// … stands for any number of lines, and … within a line for any text. With
// -update the outputs that elide nothing are rewritten, and so are the pictures.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run what the documentation shows")
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures := map[string][]byte{}
	commands := 0
	for _, path := range append(pages, "README.md") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p := readPage(t, path)
			for _, s := range slices.Backward(p.sections) {
				t.Run(s.title, func(t *testing.T) {
					maps.Copy(pictures, p.run(t, s))
				})
				commands += len(s.steps)
			}
			if *update {
				writeText(t, path, p.lines)
			}
		})
	}
	if commands < 20 {
		t.Errorf("ran only %d commands: the test sees nothing", commands)
	}
	checkPictures(t, pictures)
}

// page is one document.
type page struct {
	path     string
	lines    []string
	sections []section
}

// section is what stands under one heading of the second level.
type section struct {
	title string
	steps []step
}

// step is a command and the lines [first, last) that show what it prints.
type step struct {
	command     string
	first, last int
}

func readPage(t *testing.T, path string) *page {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &page{path: path, lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	s, fence := section{title: "top"}, ""
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		title, heading := strings.CutPrefix(line, "## ")
		command, shown := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```") && fence == "":
			fence = line
		case strings.HasPrefix(line, "```"):
			fence = ""
		case fence == "" && heading:
			p.close(s)
			s = section{title: title}
		case fence == "```console" && shown:
			for strings.HasSuffix(command, `\`) && i+1 < len(p.lines) {
				i++
				command += "\n" + p.lines[i]
			}
			s.steps = append(s.steps, step{command: command, first: i + 1, last: i + 1})
		case fence == "```console" && len(s.steps) > 0:
			s.steps[len(s.steps)-1].last = i + 1
		case fence != "" && shown && strings.HasPrefix(command, "gapctl"):
			t.Errorf("%s:%d: a command that is shown but not run: mark its block as console", path, i+1)
		}
	}
	p.close(s)
	return p
}

func (p *page) close(s section) {
	if len(s.steps) > 0 {
		p.sections = append(p.sections, s)
	}
}

// run runs the commands of a section, and returns the pictures they drew.
func (p *page) run(t *testing.T, s section) map[string][]byte {
	shell := newShell(t)
	got := make([][]string, len(s.steps))
	for i, step := range s.steps {
		got[i] = shell.run(step.command)
		want := p.lines[step.first:step.last]
		switch {
		case matches(want, got[i]):
			got[i] = want
		case !*update || slices.ContainsFunc(want, elides):
			t.Errorf("%s:%d: $ %s\nprints\n%s\nand shown is\n%s", p.path, step.first, step.command, strings.Join(got[i], "\n"), strings.Join(want, "\n"))
			got[i] = want
		}
	}
	p.replace(s, got)
	return shell.pictures()
}

// replace puts other outputs under the commands of a section. It goes from the
// end, as TestDocs does, so that the lines before stay where they are.
func (p *page) replace(s section, outputs [][]string) {
	for i, step := range slices.Backward(s.steps) {
		p.lines = slices.Replace(p.lines, step.first, step.last, outputs[i]...)
	}
}

const ellipsis = "…"

func elides(line string) bool { return strings.Contains(line, ellipsis) }

// matches says whether want, which may elide, describes got.
func matches(want, got []string) bool {
	var pattern strings.Builder
	for _, line := range want {
		if line == ellipsis {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(line, ellipsis)
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		pattern.WriteString(strings.Join(parts, ".*") + `\n`)
	}
	var text strings.Builder
	for _, line := range got {
		text.WriteString(line + "\n")
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(text.String())
}

// checkPictures compares the pictures of the documentation with those that its
// commands drew.
func checkPictures(t *testing.T, drawn map[string][]byte) {
	kept, err := os.ReadDir("docs/images")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		if drawn[file.Name()] == nil {
			t.Errorf("docs/images/%s: no command of the documentation draws it", file.Name())
		}
	}
	for name, content := range drawn {
		path := filepath.Join("docs", "images", name)
		have, err := os.ReadFile(path)
		if *update {
			err = os.WriteFile(path, content, 0o644)
		} else if err == nil && !bytes.Equal(have, content) {
			t.Errorf("%s is not what its command draws now", path)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func writeText(t *testing.T, path string, lines []string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
