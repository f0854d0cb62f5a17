package inspect

import (
	"bytes"
	"strings"
	"testing"
)

// TestReadDescription: what is no description is refused, with what is wrong.
func TestReadDescription(t *testing.T) {
	const head = `{"kind":"describe","schema_version":1,"groups":`
	one := func(fields string) string { return head + `[{"group":"g","partitions":[{` + fields + `}]}]}` }
	cases := []struct{ name, doc, want string }{
		{"empty", "", "it is empty"},
		{"cut short", head + `[{"group":`, "cut short"},
		{"no JSON", "\x00\xff\x1b", "no JSON, at byte 1"},
		{"a list", `[]`, "can not be a array"},
		{"other kind", `{"kind":"list","schema_version":1}`, `kind "list"`},
		{"newer", `{"kind":"describe","schema_version":2}`, "schema version 2"},
		{"two", head + `[]}{}`, "something follows"},
		{"no topic", one(`"partition":1`), "no topic"},
		{"no partition", one(`"topic":"t"`), "no topic and partition"},
		{"negative partition", one(`"topic":"t","partition":-1`), "no topic and partition"},
		{"no max", one(`"topic":"t","partition":1,"stable":5`), "stable is 5"},
		{"max below stable", one(`"topic":"t","partition":1,"stable":5,"max":4`), "max is 4"},
		{"negative", one(`"topic":"t","partition":1,"stable":-5,"max":4`), "stable is -5"},
		{"too large", one(`"topic":"t","partition":1,"stable":99999999999999999999`), "can not be a number"},
		{"bad range", one(`"topic":"t","partition":1,"stable":1,"max":9,"gaps":[{"start":5,"end":3}]`), "want 0 <= start < end"},
		{"twice", head + `[{"group":"g","partitions":[{"topic":"t","partition":1},{"topic":"t","partition":1}]}]}`, "g t/1 is there twice"},
		{"deep", head + strings.Repeat("[", 20_000), "exceeded max depth"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadDescription(strings.NewReader(c.doc))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzReadDescription(f *testing.F) {
	var doc bytes.Buffer
	if err := Write(&doc, OutputJSON, NewDescribeView(hostileSnapshot()), Style{}); err != nil {
		f.Fatal(err)
	}
	f.Add(doc.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadDescription(bytes.NewReader(data))
		if err != nil {
			return
		}
		if v := NewDiffView(s, s, nil); v.Differs() {
			t.Errorf("it differs from itself: %+v", v)
		}
	})
}
