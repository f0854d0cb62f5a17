//go:build linux

package soak

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

const (
	// periodEnv is how long the load lasts: "30m" for the long form.
	periodEnv = "GAPCTL_TEST_SOAK"
	// seedEnv repeats a schedule.
	seedEnv = "GAPCTL_TEST_SOAK_SEED"

	shortPeriod = 75 * time.Second
)

const (
	nodes      = 3
	topic      = "orders"
	partitions = 4
)

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		runWorker() // this process is a consumer of the soak
	}
	kafkatest.Main(m)
}

// soak is one run.
type soak struct {
	t       *testing.T
	ctx     context.Context // of the whole run, which ends in time to tell why
	dir     string
	seed    uint64
	period  time.Duration
	long    bool
	cluster *kafkatest.Cluster
	binary  string // gapctl
	worker  string // this test binary, or one with a clock that jumps
	disk    *disk
	clock   *clock
	proof   *evidence
	acked   *offsets
	leaks   *leaks

	mu       sync.Mutex
	failures map[string]int
	torn     map[place]bool // where the cluster has torn transactions
}

func TestSoak(t *testing.T) {
	kafkatest.Require(t)
	s := newSoak(t)
	s.prepare()
	defer s.bound()()
	load, stop := context.WithCancel(s.ctx)
	var all sync.WaitGroup
	gang := s.startGang(load)
	defer func() { // also of a run that is broken off
		stop()
		gang.end()
		s.join(&all)
	}()
	cycles := s.startCycles(load, &all)
	commands := s.startCommands(load, &all)
	all.Go(func() { s.produce(load) })
	all.Go(func() { s.produceTransactions(load) })
	all.Go(func() { s.leaks.sample(load) })
	s.disturb(load)
	stop()
	if !s.join(&all) {
		t.Fatalf("the load did not end\n%s", stacks())
	}
	s.topOff()
	t.Logf("the load is over: %d records are acknowledged", s.acked.count())
	s.awaitTransactions()
	s.settle(gang, cycles)
	gang.end()
	s.audit(gang, cycles, commands)
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{
		t: t, dir: t.TempDir(), seed: rand.Uint64(),
		proof: newEvidence(), acked: newOffsets(), failures: map[string]int{}, torn: map[place]bool{},
	}
	var err error
	if s.period, err = time.ParseDuration(cmp.Or(os.Getenv(periodEnv), shortPeriod.String())); err != nil {
		t.Fatalf("%s: %v", periodEnv, err)
	}
	if text := os.Getenv(seedEnv); text != "" {
		if s.seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	s.long = s.period >= 5*time.Minute
	s.leaks = &leaks{s: s, watched: map[string]*watched{}}
	return s
}

// prepare builds what is run and starts the cluster, with all that can be
// disturbed, and says what can't.
func (s *soak) prepare() {
	s.t.Helper()
	s.build()
	s.disk, s.clock = newDisk(s), newClock(s)
	s.cluster = kafkatest.StartCluster(s.t, nodes, func(i int) []kafkatest.Option {
		options := []kafkatest.Option{
			kafkatest.Heap(256),
			kafkatest.Property("group.share.delivery.count.limit", "10"),
			kafkatest.Property("group.share.record.lock.duration.ms", "15000"),
		}
		return append(options, append(s.disk.options(i), s.clock.options(i)...)...)
	})
	s.cluster.CreateTopic(topic, partitions, nil)
	s.beginShareGroup()
}

// fail is a finding of the audit. Each kind is told a few times, and counted.
func (s *soak) fail(kind, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failures[kind]++; s.failures[kind] <= 5 {
		s.t.Errorf("%s: %s", kind, fmt.Sprintf(format, args...))
	}
}

// seeds are the addresses of the brokers.
func (s *soak) seeds() []string { return strings.Split(s.cluster.Addr(), ",") }

// path is a file of this run.
func (s *soak) path(name string) string { return filepath.Join(s.dir, name) }

// pause waits; false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
