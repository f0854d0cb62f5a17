package cmd

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestStandardErrorIsJSON: with -o json, whatever is said is one object, with the
// error if there is one.
func TestStandardErrorIsJSON(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	for line, want := range map[string]string{
		"list -o json":                "notices",
		"describe zz* -o json":        "notices",
		"describe zz* nobody -o json": "error notices",
		"check --bad -o json":         "error",
		"undo -o json":                "notices",
		"replay nobody --to-stdout -o json --execute --yes": "error",
	} {
		got := s.run(line)
		var doc struct {
			Error   *struct{ Message string }
			Notices []string
		}
		if err := json.Unmarshal([]byte(got.errs), &doc); err != nil {
			t.Errorf("%s: %v in %q", line, err, got.errs)
		}
		var said []string
		if doc.Error != nil && doc.Error.Message != "" {
			said = append(said, "error")
		}
		if len(doc.Notices) > 0 && doc.Notices[0] != "" {
			said = append(said, "notices")
		}
		if strings.Join(said, " ") != want {
			t.Errorf("%s said %q, want %s", line, got.errs, want)
		}
	}
}
