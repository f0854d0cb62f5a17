package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/gapctl/gapctl/repair"
)

// top is the mapping of the whole file, made when there is none.
func (f *contextFile) top() *yaml.Node {
	if f.document == nil {
		f.document = &yaml.Node{Kind: yaml.DocumentNode}
	}
	if len(f.document.Content) == 0 || f.document.Content[0].Kind != yaml.MappingNode {
		f.document.Content = []*yaml.Node{mapping()}
	}
	return f.document.Content[0]
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func scalar(text string) *yaml.Node {
	node := new(yaml.Node)
	node.SetString(text) // a text, also where it looks like a number
	return node
}

// child is the value of a key; nil when there is none.
func child(node *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// setChild gives a key a value, in its old place when it has one.
func setChild(node *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content[i+1] = value
			return
		}
	}
	node.Content = append(node.Content, scalar(key), value)
}

func removeChild(node *yaml.Node, key string) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			node.Content = append(node.Content[:i:i], node.Content[i+2:]...)
			return
		}
	}
}

// use makes a context the current one; "": none.
func (f *contextFile) use(name string) {
	f.current = name
	if name == "" {
		removeChild(f.top(), keyCurrent)
		return
	}
	if child(f.top(), keyCurrent) == nil { // it stands first
		f.top().Content = append([]*yaml.Node{scalar(keyCurrent), scalar(name)}, f.top().Content...)
		return
	}
	setChild(f.top(), keyCurrent, scalar(name))
}

// add puts a context into the file, in place of one of the same name.
func (f *contextFile) add(c storedContext) {
	node := mapping()
	if c.commandConfig != "" {
		setChild(node, keyCommandConfig, scalar(c.commandConfig))
	}
	for _, e := range c.entries {
		setChild(node, e.key, scalar(e.value))
	}
	all := child(f.top(), keyContexts)
	if all == nil || all.Kind != yaml.MappingNode {
		all = mapping()
		setChild(f.top(), keyContexts, all)
	}
	setChild(all, c.name, node)
}

// remove takes a context out of the file. Without the current one there is no
// current one.
func (f *contextFile) remove(name string) {
	removeChild(child(f.top(), keyContexts), name)
	if f.current == name {
		f.use("")
	}
}

// save writes the file, whole or not at all, for its owner only. A link stays
// one.
func (f *contextFile) save() (err error) {
	path := f.path
	if path == "" {
		return usage("GAPCTL_CONFIG names the file", "there is no place for contexts")
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(f.document), enc.Close()); err != nil {
		return err
	}
	return repair.ReplaceFile(path, 0o600, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	})
}
