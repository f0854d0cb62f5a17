package cmd

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestClockSkew: a clock that is decades behind or ahead changes ages and IDs,
// and nothing else: plans from the future are carried out and undone.
func TestClockSkew(t *testing.T) {
	for _, year := range []int{1971, 2200} {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cluster.Close)
		s := newBrokerScene(t, cluster.ListenAddrs()[0])
		s.topic("orders", sceneRecords)
		s.gapCommit("billing", "orders")
		at := func(year int, line string, want int) string {
			var out, errs bytes.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			env := map[string]string{"XDG_STATE_HOME": s.dir, "GAPCTL_BOOTSTRAP_SERVER": s.addr}
			code := run(ctx, strings.Fields(line), World{In: strings.NewReader(""), Out: &out, Err: &errs,
				Getenv: func(name string) string { return env[name] }, Now: func() time.Time { return time.Date(year, 1, 2, 3, 4, 5, 0, time.UTC) }})
			if code != want || regexp.MustCompile(`(^|[\s(])-\d+[smhd]`).MatchString(out.String()+errs.String()) {
				t.Errorf("in %d, %s: exit code %d, want %d\n%s%s", year, line, code, want, &out, &errs)
			}
			return out.String()
		}
		for _, line := range []string{"list", "describe billing", "records billing", "map billing", "watch billing --count 1", "report billing", "diff " + filepath.Join(s.dir, "d.json")} {
			if strings.HasPrefix(line, "diff") {
				writeFile(t, filepath.Join(s.dir, "d.json"), at(2026, "describe billing -o json", exitOK))
			}
			at(year, line, exitOK)
		}
		at(year, "skip billing orders/0@3 --plan "+filepath.Join(s.dir, "plan.json"), exitOK)
		at(2026, "apply "+filepath.Join(s.dir, "plan.json")+" --yes", exitOK)
		at(year, "undo 20260102T030405Z --execute --yes", exitOK)
		if listed := at(2026, "undo -o csv", exitOK); strings.Count(listed, "billing") != 2 {
			t.Errorf("the journal lists %q", listed)
		}
	}
}
