package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// contextFile is the file of contexts. It stays the YAML that it was: comments
// and order survive a change.
type contextFile struct {
	path     string
	document *yaml.Node // of kind document, with one mapping in it
	current  string
	contexts []storedContext
	unknown  []entry // top-level keys that mean nothing
}

// storedContext is one context: its properties, and the file that they add to.
type storedContext struct {
	name          string
	commandConfig string // a .properties file, relative to the file of contexts, or ""
	entries       []entry
}

// The keys of the file.
const (
	keyCurrent       = "current"
	keyContexts      = "contexts"
	keyCommandConfig = "command.config"
)

// contextPath is where the file of contexts is, by the rules of XDG; "" when
// nothing says.
func (a *app) contextPath() string {
	if path := a.getenv("GAPCTL_CONFIG"); path != "" {
		return path
	}
	folder := a.getenv("XDG_CONFIG_HOME")
	switch {
	case filepath.IsAbs(folder):
	case a.getenv("APPDATA") != "": // Windows
		folder = a.getenv("APPDATA")
	case a.getenv("HOME") != "":
		folder = filepath.Join(a.getenv("HOME"), ".config")
	default:
		return ""
	}
	return filepath.Join(folder, "gapctl", "config.yaml")
}

// contexts reads the file of contexts, once, and says what in it means nothing.
// A file that is not there has no contexts.
func (a *app) contexts() (*contextFile, error) {
	if a.stored != nil {
		return a.stored, nil
	}
	path := a.contextPath()
	f := &contextFile{path: path}
	if path == "" {
		return f, nil
	}
	text, err := readSmallFile(path, maxConfigSize)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		err = f.parse([]byte(text))
	}
	if err != nil {
		return nil, usage("", "contexts: %s: %w", path, err)
	}
	for _, e := range f.unknown {
		a.say(fmt.Sprintf("%s line %d: %s is not a key that gapctl knows; ignored", path, e.line, e.key))
	}
	a.stored = f
	return f, nil
}

func (f *contextFile) parse(text []byte) error {
	document := new(yaml.Node)
	if err := yaml.Unmarshal(text, document); err != nil {
		// The error may quote a secret: only where it is can be told.
		return fmt.Errorf("it is not YAML %s", regexp.MustCompile(`line \d+`).FindString(err.Error()))
	}
	if document.Kind == 0 { // empty
		return nil
	}
	f.document = document
	top, err := pairsOf(document.Content[0], "the file")
	if err != nil {
		return err
	}
	for _, p := range top {
		switch p.key {
		case keyCurrent:
			f.current = p.value.Value
		case keyContexts:
			if err := f.parseContexts(p.value); err != nil {
				return err
			}
		default:
			f.unknown = append(f.unknown, entry{key: p.key, line: p.line})
		}
	}
	return nil
}

func (f *contextFile) parseContexts(node *yaml.Node) error {
	named, err := pairsOf(node, keyContexts)
	if err != nil {
		return err
	}
	for _, n := range named {
		properties, err := pairsOf(n.value, "context "+n.key)
		if err != nil {
			return err
		}
		c := storedContext{name: n.key}
		for _, p := range properties {
			switch {
			case p.value.Kind != yaml.ScalarNode:
				return fmt.Errorf("line %d: %s: want a text", p.line, p.key)
			case p.key == keyCommandConfig:
				c.commandConfig = p.value.Value
			default:
				c.entries = append(c.entries, entry{p.key, p.value.Value, p.line})
			}
		}
		f.contexts = append(f.contexts, c)
	}
	return nil
}

// pair is one key of a mapping.
type pair struct {
	key   string
	value *yaml.Node
	line  int
}

// pairsOf are the keys of a mapping, with their values. Nothing at all is a
// mapping without keys. Errors call it what.
func pairsOf(node *yaml.Node, what string) ([]pair, error) {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
		return nil, nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: %s: want keys and values", node.Line, what)
	}
	var pairs []pair
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if slices.ContainsFunc(pairs, func(p pair) bool { return p.key == key.Value }) {
			return nil, fmt.Errorf("line %d: %s is there twice", key.Line, key.Value)
		}
		pairs = append(pairs, pair{key.Value, value, key.Line})
	}
	return pairs, nil
}

// find is the context of that name.
func (f *contextFile) find(name string) (storedContext, error) {
	for _, c := range f.contexts {
		if c.name == name {
			return c, nil
		}
	}
	return storedContext{}, usage("gapctl context list shows the contexts", "no context %q", name)
}

// contextSettings are the settings of the context of that name; "" is the
// current one, if there is one.
func (a *app) contextSettings(name string) (settings, error) {
	f, err := a.contexts()
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = f.current
	}
	s := settings{}
	if name == "" {
		return s, nil
	}
	c, err := f.find(name)
	if err != nil {
		return nil, err
	}
	if c.commandConfig != "" {
		if err := a.readCommandConfig(s, keyCommandConfig, f.beside(c.commandConfig)); err != nil {
			return nil, err
		}
	}
	over := settings{}
	if err := a.setEntries(over, f.path, c.entries); err != nil {
		return nil, err
	}
	return over.over(s), nil
}

// beside is a path, relative to the folder of the file.
func (f *contextFile) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}
