package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// interruptedReaders are the commands that read, each as a line; LAST is the ID
// of a repair.
func interruptedReaders() []string {
	return []string{
		"list --all -o json", "describe billing -o json", "gaps billing -o json", "records billing -o json", "map billing -o json",
		"history billing -o json", "check -o json", "report billing", "watch billing --count 2 --interval 1ms", "diff DIR/before.json -o json",
		"describe --all -o json", "records billing --values --order arrival -o json", "records billing --key key-4 -o json",
		"check --samples 2 --interval 1ms --stuck-after 1ns --output-file DIR/check.json -o json", "report billing --file DIR/report.html",
		"describe shipping -o json", "records shipping --rejected -o json", "map shipping -o json", "history shipping -o json", "report shipping",
		"context test -o json",
		"skip billing orders/0@3 -o json", "reset billing --to-latest -o json", "compact billing -o json", "convert billing --to native -o json",
		"replay billing --to-topic retry -o json", "skip billing --key key-4 -o json", "reset billing --to-datetime 2020-01-01T00:00:00Z -o json",
		"replay billing --to-topic retry --max-replays 1 -o json", "replay billing --from-dlq orders --to-topic retry -o json",
		"skip billing orders/0@3 --plan DIR/plan.json -o json", "undo LAST -o json",
		"skip shipping orders/0@7 -o json", "reset shipping --to-latest -o json", "replay shipping --rejected --to-topic retry -o json",
	}
}

// TestInterruptedReaders: wherever a signal meets a command that reads, and
// though the broker never answers again, it ends at once, with its exit code,
// standard output and files empty or whole, and nothing left running.
func TestInterruptedReaders(t *testing.T) {
	s := newSharedScene(t)
	writeFile(t, filepath.Join(s.dir, "before.json"), s.run("describe billing -o json").out)
	s.want("context add here -b "+s.addr, exitOK)
	s.want("reset billing --to-latest --execute --yes", exitOK)
	last := s.repairs()[0].ID
	s.gapCommit("billing", "orders")
	running := []goleak.Option{goleak.IgnoreCurrent()}
	for _, function := range []string{"read", "read.func1", "write"} { // the lab has a client too, which dials again now and then
		running = append(running, goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn)."+function))
	}
	for _, line := range interruptedReaders() {
		t.Run(line, func(t *testing.T) {
			line = strings.ReplaceAll(line, "LAST", last)
			n, hit := int64(1), true
			for ; hit; n++ {
				var got reply
				if got, hit = s.interruptedAt(line, n, true); !hit {
					break
				}
				if err := endedWell(line, got); err != nil {
					t.Errorf("request %d: %v", n, err)
				}
				s.wholeFiles(t)
			}
			if n < 3 {
				t.Errorf("only %d requests", n)
			}
		})
	}
	goleak.VerifyNone(t, running...)
}

// endedWell is nil for the end of a command that was interrupted, or that was
// done before it noticed.
func endedWell(line string, got reply) error {
	done := got.code == exitOK && (got.out != "" || strings.Contains(line, "DIR/"))
	told := strings.HasSuffix(strings.TrimSpace(got.errs), "gapctl: interrupted") || strings.HasPrefix(got.errs, `{"error":{"class":"interrupted",`)
	switch {
	case !done && (got.code != exitInterrupted || !told):
		return fmt.Errorf("exit code %d, standard error %.300q", got.code, got.errs)
	case !wholeOrNothing(line, got.out), !done && got.out != "" && !strings.HasPrefix(line, "watch"):
		return fmt.Errorf("standard output %.300q", got.out)
	}
	return nil
}

// wholeFiles fails where a file that a command writes is there in part.
func (s wiredScene) wholeFiles(t *testing.T) {
	t.Helper()
	files, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.dir, f.Name()))
		if err != nil || strings.HasPrefix(f.Name(), ".") || !strings.HasSuffix(string(text), "\n") {
			t.Errorf("%s is left, with %.100q: %v", f.Name(), text, err)
		}
	}
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
