package gapstore

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// longEnv makes the tests with killed processes long ones.
const longEnv = "GAPCTL_TEST_LONG"

func long() bool { return os.Getenv(longEnv) != "" }

// The worker is killed at random moments while it processes records, at 50 in
// 100,000 of them where this is to be long: each is processed, and none again
// whose commit was made.
func killedAtRandom(t *testing.T, b *kafkatest.Broker) {
	const partitions = 4
	jobs, kills := 24_000, 12
	if long() {
		jobs, kills = 100_000, 50
	}
	w := realWork(t, b, "jobs", partitions, jobs/partitions)
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := &journal{t: t, path: path, committed: map[job]bool{}, lives: map[int]bool{}, processed: map[job]bool{}}
	for life := range kills + 1 {
		var out bytes.Buffer
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s %d worker-1", workerEnv, b.Addr(), w.group, w.topic, path, Whole))
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		enough := jobs // of all
		if life < kills {
			enough = len(j.processed) + rand.IntN(2*jobs/kills)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			j.read(life)
			// Every other life may end before it has committed anything.
			told := life%2 == 1 || j.lives[life] || len(j.processed) >= jobs-1
			if life < kills && told && len(j.processed) >= min(enough, jobs-1) || len(j.processed) == jobs && w.committed() == int64(jobs) {
				break
			}
			select {
			case err := <-ended:
				t.Fatalf("the worker ended by itself: %v\n%s", err, out.String())
			case <-time.After(time.Duration(rand.IntN(10)) * time.Millisecond):
			}
		}
		_ = cmd.Process.Kill()
		<-ended
	}
	j.read(kills)
	if len(j.processed) != jobs || j.again > 0 {
		t.Errorf("%d of %d records processed, %d again although they were committed", len(j.processed), jobs, j.again)
	}
	if len(j.lives) < kills/2 {
		t.Errorf("only %d lives committed anything: the test proves little", len(j.lives))
	}
	t.Logf("%d lives committed, %d records were processed again because they were not committed yet", len(j.lives), j.repeated)
}

// committed is the number of records that are committed.
func (w *work) committed() (n int64) {
	w.t.Helper()
	for _, e := range w.entries() {
		n += e.State.Max - e.State.Outstanding()
	}
	return n
}

type job struct{ partition, offset int64 }

// journal is what all lives of the worker wrote.
type journal struct {
	t         *testing.T
	path      string
	at        int64
	rest      string
	processed map[job]bool
	committed map[job]bool
	lives     map[int]bool // in which something was committed
	repeated  int
	again     int
	first     func(job) // of each that was not processed before
}

// read reads on; it is the life-th life.
func (j *journal) read(life int) {
	j.t.Helper()
	f, err := os.Open(j.path)
	if err != nil {
		j.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, j.at, 1<<40))
	if err != nil {
		j.t.Fatal(err)
	}
	j.at += int64(len(data))
	lines := strings.Split(j.rest+string(data), "\n")
	j.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		var kind rune
		var at job
		if _, err := fmt.Sscanf(line, "%c %d %d", &kind, &at.partition, &at.offset); err != nil {
			j.t.Fatalf("line %q: %v", line, err)
		}
		switch {
		case kind == 'C':
			j.committed[at], j.lives[life] = true, true
		case j.committed[at]:
			j.again++
		case j.processed[at]:
			j.repeated++
		}
		if kind == 'P' {
			if j.first != nil && !j.processed[at] {
				j.first(at)
			}
			j.processed[at] = true
		}
	}
}
