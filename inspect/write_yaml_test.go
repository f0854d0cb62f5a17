package inspect

import (
	"bufio"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestYAMLWriter: whatever the JSON, in whatever pieces it comes, YAML says the
// same, in block style.
func TestYAMLWriter(t *testing.T) {
	for _, doc := range []string{
		`{}`, `[]`, `3`, `"a: b"`, `null`,
		`[[],{},[[1,[2]],{"x":[{"y":[]}]}],"- a"]`,
		`{"a":{"b":{"c":[1,-2,3.5e3,true,null]}},"on":"no","null":1,"N o":"\u001b[0m\\\"#","e":""}`,
		`{"id":{"list":[{"k":"v","l":[{"m":1},{"m":2}]},{}]},"end":"\\"}`,
	} {
		var out strings.Builder
		y := &yamlWriter{w: bufio.NewWriter(&out), levels: make([]yamlLevel, 1)}
		for _, c := range []byte(doc + "\n") {
			if _, err := y.Write([]byte{c}); err != nil {
				t.Fatal(err)
			}
		}
		if err := y.w.Flush(); err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := yaml.Unmarshal([]byte(doc), &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(out.String()), &got); err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s became %v:\n%s", doc, got, out.String())
		}
	}
}
