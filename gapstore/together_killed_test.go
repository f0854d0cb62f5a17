package gapstore

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

const togetherKeys = 500

// togetherKey is the key of a record, which the journal does not hold.
func togetherKey(at job) string { return fmt.Sprint("key-", at.offset*7919%10_007%togetherKeys) }

// gang is worker processes that are killed at random and start again.
type gang struct {
	*work
	j    *journal
	path string
	life time.Duration // that the longest has, beside a second
	stop chan struct{}
	all  sync.WaitGroup

	mu    sync.Mutex
	kills int
}

// Members of a group that shares partitions by key are killed at random
// moments, and others come in their place, for three minutes and with 200,000
// records in each partition where this is to be long: each record is processed,
// none again whose commit was made, and those of a key in their order.
func membersKilledAtRandom(t *testing.T, b *kafkatest.Broker) {
	n, period, life := int64(8_000), 15*time.Second, 5*time.Second
	if long() {
		n, period, life = 200_000, 3*time.Minute, 12*time.Second
	}
	w := realWork(t, b, "together", 2, 0)
	g := &gang{work: w, path: filepath.Join(t.TempDir(), "journal"), life: life, stop: make(chan struct{})}
	if err := os.WriteFile(g.path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	last := map[job]int64{} // by partition and key: the offset processed last
	g.j = &journal{t: t, path: g.path, committed: map[job]bool{}, lives: map[int]bool{}, processed: map[job]bool{}}
	disorder := 0
	keys := map[string]int64{}
	g.j.first = func(at job) {
		key := togetherKey(at)
		if _, ok := keys[key]; !ok {
			keys[key] = int64(len(keys))
		}
		of := job{at.partition, keys[key]}
		if before, ok := last[of]; ok && before > at.offset {
			disorder++
		}
		last[of] = at.offset
	}
	for i := range 6 {
		instance := fmt.Sprint("worker-", i)
		if i == 5 {
			instance = "-" // one that comes and goes
		}
		g.all.Go(func() { g.live(b.Addr(), instance, period) })
	}
	w.produceSlowly(2, n, period)
	w.awaitAll(g, 2*n)
	close(g.stop)
	g.all.Wait()
	g.j.read(0)
	if int64(len(g.j.processed)) != 2*n || g.j.again > 0 || disorder > 0 {
		t.Errorf("%d of %d records processed, %d again although they were committed, %d out of order", len(g.j.processed), 2*n, g.j.again, disorder)
	}
	if g.kills < 10 {
		t.Errorf("only %d kills: the test proves little", g.kills)
	}
	t.Logf("%d kills, %d records were processed again because they were not committed yet", g.kills, g.j.repeated)
	for p, e := range w.entries() {
		if e.State.Stable != n {
			t.Errorf("partition %d: stable %d of %d", p, e.State.Stable, n)
		}
	}
}

// awaitAll waits until all records are processed and committed.
func (w *work) awaitAll(g *gang, n int64) {
	w.t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for {
		g.j.read(0)
		if int64(len(g.j.processed)) == n && w.offsets() == n {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%d of %d processed, %d committed, offsets %d", len(g.j.processed), n, len(g.j.committed), w.offsets())
		}
		time.Sleep(50 * time.Millisecond) // between looks
	}
}

// offsets is the sum of Kafka's committed offsets.
func (w *work) offsets() (sum int64) {
	w.t.Helper()
	s, err := Open(w.t.Context(), w.dial)
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	for _, e := range loadGroup(w.t, s, w.group).Entries {
		sum += max(0, e.Committed)
	}
	return sum
}

// live is one member's place: processes that are killed until the period ends,
// and one that goes on until all is done.
func (g *gang) live(addr, instance string, period time.Duration) {
	deadline := time.Now().Add(period)
	for {
		var out bytes.Buffer
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s %d %s", workerEnv, addr, g.group, g.topic, g.path, ByKey, instance))
		cmd.Stderr = &out
		if err := cmd.Start(); err != nil {
			g.t.Error(err)
			return
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		life := time.After(time.Second + rand.N(g.life))
		if time.Now().After(deadline) {
			life = nil
		}
		select {
		case err := <-ended:
			g.t.Errorf("a worker ended by itself: %v\n%s", err, out.String())
			return
		case <-g.stop:
			_ = cmd.Process.Kill()
			<-ended
			return
		case <-life:
			_ = cmd.Process.Kill()
			<-ended
			g.mu.Lock()
			g.kills++
			g.mu.Unlock()
		}
	}
}

// produceSlowly writes n records with keys into each partition, over a period.
func (w *work) produceSlowly(partitions int32, n int64, period time.Duration) {
	w.t.Helper()
	cl, err := w.dial(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		w.t.Fatal(err)
	}
	defer cl.Close()
	const steps = 100
	for step := range int64(steps) {
		var records []*kgo.Record
		for at := n * step / steps; at < n*(step+1)/steps; at++ {
			for p := range partitions {
				records = append(records, &kgo.Record{Topic: w.topic, Partition: p, Key: []byte(togetherKey(job{int64(p), at}))})
			}
		}
		if err := cl.ProduceSync(context.WithoutCancel(w.t.Context()), records...).FirstErr(); err != nil {
			w.t.Fatal(err)
		}
		time.Sleep(period / steps) // the pace of the producers
	}
}
