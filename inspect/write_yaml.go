package inspect

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// writeYAML writes the JSON document as YAML: one contract, one set of tags.
// JSON is YAML, and nodes keep the order of keys and all 64 bits of a number.
func writeYAML(w io.Writer, v View) error {
	var doc bytes.Buffer
	if err := writeJSON(&doc, v); err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(doc.Bytes(), &node); err != nil {
		return err
	}
	blockStyle(&node)
	doc.Reset()
	out := yaml.NewEncoder(&doc)
	out.SetIndent(2)
	if err := errors.Join(out.Encode(&node), out.Close()); err != nil {
		return err
	}
	// Of what could command a terminal, the encoder leaves some as it is. All
	// texts are in double quotes, where YAML has JSON's escapes.
	_, err := w.Write(escapeQuoted(doc.Bytes()))
	return err
}

// blockStyle turns flow style into block style. Values stay quoted, so that
// no text can be taken for anything else; keys are ours and need no quotes.
func blockStyle(n *yaml.Node) {
	for i, child := range n.Content {
		blockStyle(child)
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			child.Style = 0
		}
	}
	if n.Kind != yaml.ScalarNode && len(n.Content) > 0 {
		n.Style = 0
	}
}
