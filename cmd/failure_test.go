package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestStandardErrorIsJSON: with -o json, whatever is said is an object per line,
// also beside an error.
func TestStandardErrorIsJSON(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	for line, want := range map[string]string{
		"list -o json":                "notice",
		"describe zz* -o json":        "notice",
		"describe zz* nobody -o json": "notice error",
		"check --bad -o json":         "error",
		"undo -o json":                "notice",
		"replay nobody --to-stdout -o json --execute --yes": "error",
	} {
		got := s.run(line)
		var said []string
		for text := range strings.Lines(got.errs) {
			var doc map[string]struct{ Message string }
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Errorf("%s: %v in %q", line, err, text)
			}
			for name, what := range doc {
				if said = append(said, name); what.Message == "" {
					t.Errorf("%s: no message in %q", line, text)
				}
			}
		}
		if strings.Join(said, " ") != want {
			t.Errorf("%s said %q, want %s", line, got.errs, want)
		}
	}
}
