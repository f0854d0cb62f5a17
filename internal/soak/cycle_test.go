//go:build linux

package soak

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// The groups that are idle from time to time, and are repaired then.
const (
	idleGroup = "idle"
	pcGroup   = "parallel-consumer"
)

const (
	failing       = 37 // offsets divisible by it always fail in these groups
	repairTimeout = 20 * time.Second
	startLimit    = time.Minute // of Parallel Consumer, to its first record: its JVM takes seconds
)

// cycle is the life of a group whose consumer runs for a while, and leaves gaps;
// then gapctl compacts the group and replays its gaps, and it begins again.
type cycle struct {
	s       *soak
	group   string
	target  string // the topic of the copies
	consume func(ctx context.Context, lasts time.Duration, kill bool) error
	codes   *commands

	mu         sync.Mutex
	runs       []pcRun
	replayable map[int32]codec.Ranges // gaps that a describe has shown before a replay
	good       map[string]int         // commands that ended with 0
}

// pcRun is what one run of Parallel Consumer has processed.
type pcRun struct {
	begun     time.Duration
	processed map[kafkatest.TopicPartition][]int64
}

func (s *soak) startCycles(load context.Context, all *sync.WaitGroup) []*cycle {
	s.t.Helper()
	idle := &cycle{s: s, group: idleGroup}
	idle.consume = idle.runConsumer
	pc := &cycle{s: s, group: pcGroup}
	pc.consume = pc.runPC
	cycles := []*cycle{idle, pc}
	for _, c := range cycles {
		c.target, c.replayable, c.good = "retry-"+c.group, map[int32]codec.Ranges{}, map[string]int{}
		c.codes = newCommands(s)
		s.cluster.CreateTopic(c.target, partitions, nil)
		all.Go(func() {
			for load.Err() == nil {
				lasts := 4*time.Second + rand.N(6*time.Second)
				if err := c.consume(load, lasts, rand.IntN(2) == 0); err != nil {
					s.t.Logf("%s: %v", c.group, err)
				}
				c.repair(load)
			}
		})
	}
	return cycles
}

// runConsumer runs a consumer on gapstore for a while.
func (c *cycle) runConsumer(ctx context.Context, lasts time.Duration, kill bool) error {
	p, err := c.s.startConsumer(role{Group: c.group, Fails: failing})
	if err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		c.s.fail("consumer", "%s ended by itself: %v\n%s", c.group, err, p.tail())
		return nil
	case <-ctx.Done():
	case <-time.After(lasts):
	}
	if err := p.end(kill); err != nil {
		c.s.fail("consumer", "%s: %v\n%s", c.group, err, p.tail())
	}
	return nil
}

// runPC runs the real Parallel Consumer for a while.
func (c *cycle) runPC(ctx context.Context, lasts time.Duration, kill bool) error {
	orders := []string{"unordered", "key"}
	run := pcRun{begun: monotonic()}
	pc := c.s.cluster.StartPC(kafkatest.PCOptions{
		Group: c.group, Topics: []string{topic}, Order: orders[rand.IntN(2)], Commit: "sync",
		Fail: kafkatest.Every(failing), Idle: time.Hour, Limit: time.Hour, Overflow: true,
	})
	for begun := time.Now(); len(pc.Processed()) == 0 && time.Since(begun) < startLimit && pause(ctx, 500*time.Millisecond); {
	}
	pause(ctx, lasts)
	grace := 40 * time.Second
	if kill {
		grace = 0
	}
	result, err := pc.End(grace)
	run.processed = result.Processed
	c.mu.Lock()
	c.runs = append(c.runs, run)
	c.mu.Unlock()
	if kill {
		return nil
	}
	return err
}

// repair compacts the group and replays its gaps, as soon as it is empty. It
// tells whether both were done.
func (c *cycle) repair(ctx context.Context) bool {
	for tries := 0; tries < 20 && ctx.Err() == nil; tries++ {
		if c.run("compact", c.group) != 0 || !c.noteGaps() { // a killed member is still counted, say
			pause(ctx, time.Second)
			continue
		}
		return c.run("replay", c.group, "--to-topic", c.target) == 0
	}
	return false
}

// run carries out a repair, and judges how it ended.
func (c *cycle) run(args ...string) int {
	r := c.s.gapctl(repairTimeout, append(args, "--execute", "--yes", "-o", "json")...)
	allowed := []int{0, 1, 4, 5, 6, 8}
	if bytes.Contains(r.stderr, []byte("it can not be read back")) {
		allowed = append(allowed, 11) // the audit looks at what was written
	}
	c.codes.judge(r, allowed...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.code == 0 {
		c.good[args[0]]++
	}
	return r.code
}

// noteGaps remembers what the next replay may deliver.
func (c *cycle) noteGaps() bool {
	r := c.s.gapctl(commandTimeout, "describe", c.group, "-o", "json")
	c.codes.judge(r, 0, 1, 6, 8)
	if r.code != 0 {
		return false
	}
	doc := c.s.proof.take(c.s, r)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, g := range doc.Groups {
		for _, p := range g.Partitions {
			if p.Topic == topic {
				c.replayable[p.Partition] = c.replayable[p.Partition].Union(p.Gaps)
			}
		}
	}
	return true
}

// repairs are how often each repair was done.
func (c *cycle) repairs() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.good)
}
