package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.uber.org/goleak"

	"github.com/gapctl/gapctl/repair"
)

// wiredScene is a group with gaps on a broker of which every request can be
// held back.
type wiredScene struct {
	*brokerScene
	wire *wire
}

func newWiredScene(t *testing.T) wiredScene { return newMangledScene(t, new(wire)) }

func newMangledScene(t *testing.T, w *wire) wiredScene {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(w.listen))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	s.topic("orders", sceneRecords)
	s.topic("retry", 0)
	s.gapCommit("billing", "orders")
	return wiredScene{s, w}
}

// interruptedAt runs a command and interrupts it when its nth request, from 1, is
// on its way; it made fewer if hit is false. A stuck request does not arrive
// before the command has ended.
func (s wiredScene) interruptedAt(line string, n int64, stuck bool) (got reply, hit bool) {
	s.t.Helper()
	ctx, interrupt := context.WithCancelCause(s.t.Context())
	defer interrupt(nil)
	ended := make(chan struct{})
	var requests atomic.Int64
	s.wire.set(func() {
		if requests.Add(1) != n {
			return
		}
		interrupt(errInterrupted)
		if stuck {
			<-ended
		}
	})
	defer s.wire.set(nil)
	finished := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("%q does not end, interrupted at request %d", line, n)) })
	defer finished.Stop()
	code, out, errs := runWith(ctx, s.env(), append(strings.Fields(strings.ReplaceAll(line, "DIR", s.dir)), "-b", s.addr)...)
	close(ended)
	return reply{code, out, errs}, requests.Load() >= n
}

func (s wiredScene) env() map[string]string {
	return map[string]string{"XDG_STATE_HOME": s.dir, "GAPCTL_CONFIG": filepath.Join(s.dir, "config.yaml")}
}

// interruptedReaders are the commands that read, each as a line.
func interruptedReaders() []string {
	return []string{
		"list --all -o json", "describe billing -o json", "gaps billing -o json", "records billing -o json", "map billing -o json",
		"history billing -o json", "check -o json", "report billing", "watch billing --count 2 --interval 1ms", "diff DIR/before.json -o json",
		"skip billing orders/0@3 -o json", "reset billing --to-latest -o json", "compact billing -o json", "convert billing --to native -o json",
		"replay billing --to-topic retry -o json",
	}
}

// TestInterruptedReaders: wherever a signal meets a command that reads, and
// though the broker never answers again, it ends at once, with its exit code,
// standard output empty or whole, and nothing left running.
func TestInterruptedReaders(t *testing.T) {
	s := newWiredScene(t)
	_, doc, _ := runWith(t.Context(), s.env(), "describe", "billing", "-o", "json", "-b", s.addr)
	writeFile(t, filepath.Join(s.dir, "before.json"), doc)
	running := goleak.IgnoreCurrent()
	for _, line := range interruptedReaders() {
		t.Run(line, func(t *testing.T) {
			n, hit := int64(1), true
			for ; hit; n++ {
				var got reply
				if got, hit = s.interruptedAt(line, n, true); !hit {
					break
				}
				done := got.code == exitOK && got.out != "" // the step was not needed for it
				told := strings.TrimSpace(got.errs) == "gapctl: interrupted" || strings.HasPrefix(got.errs, `{"error":{"class":"interrupted",`)
				if !done && (got.code != exitInterrupted || !told) {
					t.Errorf("request %d: exit code %d, standard error %.300q", n, got.code, got.errs)
				}
				if !wholeOrNothing(line, got.out) || !done && got.out != "" && !strings.HasPrefix(line, "watch") {
					t.Errorf("request %d: standard output %.300q", n, got.out)
				}
			}
			if n < 6 {
				t.Errorf("only %d requests", n)
			}
		})
	}
	goleak.VerifyNone(t, running)
}

// wholeOrNothing reports whether out is nothing, or a result as the command
// prints it.
func wholeOrNothing(line, out string) bool {
	switch {
	case out == "":
		return true
	case !strings.HasSuffix(out, "\n"):
		return false
	case strings.Contains(line, "-o json"):
		dec := json.NewDecoder(strings.NewReader(out))
		for dec.More() {
			if dec.Decode(new(any)) != nil {
				return false
			}
		}
		return true
	}
	return strings.HasPrefix(line, "watch")
}

// TestInterruptedRepairs: wherever a signal meets a repair, what stands
// afterwards is the old state or the new one, whole; the exit code, the result
// and the journal say which; the group is free, and the same repair goes through
// at once.
func TestInterruptedRepairs(t *testing.T) {
	if testing.Short() {
		t.Skip("each repair is made hundreds of times")
	}
	const reading = 14 // requests, about, that each makes first to see what there is
	for line, first := range map[string]int64{
		"skip billing orders/0@3 orders/1@3": 1, "reset billing --to-latest": reading, "compact billing": reading,
		"convert billing --to native": 3 * reading, "replay billing --to-topic retry": reading,
	} {
		t.Run(line, func(t *testing.T) {
			running := goleak.IgnoreCurrent()
			n, hit := first, true
			for ; hit; n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) { hit = survivesInterrupt(t, line+" --execute --yes -o json", n) })
			}
			if n < 2*reading && !strings.HasPrefix(line, "compact") {
				t.Errorf("only %d requests", n)
			}
			goleak.VerifyNone(t, running)
		})
	}
}

func survivesInterrupt(t *testing.T, line string, n int64) (hit bool) {
	s := newWiredScene(t)
	old := s.commits()
	got, hit := s.interruptedAt(line, n, false)
	changed := s.commits() != old
	t.Logf("request %d: exit code %d, changed %v\n%s%s", n, got.code, changed, got.out, got.errs)
	if got.code != exitInterrupted && got.code != exitOK {
		t.Errorf("request %d: exit code %d", n, got.code)
	}
	if !wholeOrNothing(line, got.out) {
		t.Errorf("request %d: standard output %q", n, got.out)
	}
	if told := strings.Contains(got.out, `"status":"applied"`); told != changed {
		t.Errorf("request %d: the state has changed: %v; it says: %q", n, changed, got.out)
	}
	entries, bad, err := repair.Journal{Dir: filepath.Join(s.dir, "gapctl", "journal")}.Entries()
	if err != nil || len(bad) > 0 || len(entries) > 1 || changed && len(entries) == 0 {
		t.Fatalf("request %d: the journal has %v %v %v", n, entries, bad, err)
	}
	for _, e := range entries {
		if !e.Ended || changed && !e.Undoable() {
			t.Errorf("request %d: the journal says %+v", n, e)
		}
	}
	s.free()
	if again := s.run(line); again.code != exitOK {
		t.Errorf("request %d: the second time: exit code %d\n%s%s", n, again.code, again.out, again.errs)
	}
	return hit
}

// commits is all that billing has committed, as text.
func (s wiredScene) commits() string {
	s.t.Helper()
	fetched, err := kadm.NewClient(s.client()).FetchOffsets(s.t.Context(), "billing")
	if err != nil {
		s.t.Fatal(err)
	}
	var text bytes.Buffer
	for _, o := range fetched.Sorted() {
		fmt.Fprintf(&text, "%s/%d %d %q\n", o.Topic, o.Partition, o.At, o.Metadata)
	}
	return text.String()
}

// free fails unless billing has no member.
func (s wiredScene) free() {
	s.t.Helper()
	described, err := kadm.NewClient(s.client()).DescribeGroups(s.t.Context(), "billing")
	if err != nil || len(described["billing"].Members) > 0 {
		s.t.Errorf("the group has members: %+v %v", described["billing"], err)
	}
}
