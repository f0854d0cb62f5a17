//go:build linux

package soak

import (
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// grace is how long a member that the group has given up may go on with what it
// has in hand before it notices.
const grace = 30 * time.Second

// audit compares what was acknowledged, processed, copied and committed.
func (s *soak) audit(g *gang, cycles []*cycle, looks *commands) {
	s.t.Helper()
	s.auditLog()
	s.findTorn()
	for _, b := range s.proof.back {
		s.blame(b.at, "went back", "%v: %v was committed, and later not", b.at, b.what)
	}
	for _, group := range []string{wholeGroup, keyGroup, shareGroup} {
		s.auditGroup(group, s.readJournal(group), nil)
	}
	for _, c := range cycles {
		processed := c.processed()
		if c.group == idleGroup {
			processed = s.readJournal(c.group)
		}
		s.auditGroup(c.group, processed, c.auditCopies())
		done := c.repairs()
		s.t.Logf("%s: %v; %v", c.group, done, c.codes)
		if done["compact"] == 0 || done["replay"] == 0 {
			s.fail("proves little", "%s: %v", c.group, done)
		}
	}
	s.auditStates(looks)
	if odd, err := os.ReadFile(s.path("odd")); err == nil {
		s.t.Logf("errors of consumers that no class tells to outlive:\n%s", head(string(odd), 20))
	}
	s.t.Logf("%d documents are evidence; %v", s.proof.docs, looks)
	if s.proof.docs < 10 || g.kills == 0 || s.acked.count() < 1000 {
		s.fail("proves little", "%d documents, %d kills, %d records", s.proof.docs, g.kills, s.acked.count())
	}
	s.leaks.judge()
}

// auditLog: the cluster itself has lost nothing.
func (s *soak) auditLog() {
	s.t.Helper()
	found := map[int32][]codec.Range{}
	s.readTopic(topic, func(r *kgo.Record) {
		found[r.Partition] = append(found[r.Partition], codec.Range{Start: r.Offset, End: r.Offset + 1})
	})
	for p := range int32(partitions) {
		if gone := s.acked.ranges(p).Sub(codec.NewRanges(found[p]...)); !gone.Empty() {
			s.fail("lost by the cluster", "partition %d: %d records, of %v", p, gone.Count(), gone.Bounds())
		}
	}
}

// auditGroup: each record that was acknowledged is processed or copied, and none
// again that was committed.
func (s *soak) auditGroup(group string, processed map[place]map[int64][]processing, copied map[place]codec.Ranges) {
	s.t.Helper()
	records, repeated := 0, 0
	for p := range int32(partitions) {
		at := place{group, p}
		for r := range s.acked.ranges(p).Sub(copied[at]).All() {
			for offset := r.Start; offset < r.End; offset++ {
				if len(processed[at][offset]) == 0 {
					s.fail("lost", "%v@%d", at, offset)
				}
			}
		}
		for offset, times := range processed[at] {
			records++
			repeated += len(times) - 1
			committed, known := s.proof.committed(at, offset)
			for _, one := range times {
				if known && (committed < one.begun || committed+grace < one.at) {
					s.blame(at, "again", "%v@%d was committed at %v, and processed at %v by a process of %v", at, offset, committed, one.at, one.begun)
				}
			}
		}
	}
	s.t.Logf("%s: %d records processed, %d times again while they were not committed", group, records, repeated)
}

// auditCopies: each record was copied at most once, and none that was committed
// already. It returns what was copied.
func (c *cycle) auditCopies() map[place]codec.Ranges {
	c.s.t.Helper()
	found := map[place][]codec.Range{}
	times := map[place]map[int64]int{}
	copies := 0
	c.s.readTopic(c.target, func(r *kgo.Record) {
		at, offset, err := origin(r)
		if err != nil || at.group != c.group {
			c.s.fail("copies", "%s/%d@%d: %v %v", c.target, r.Partition, r.Offset, at, err)
			return
		}
		if times[at] == nil {
			times[at] = map[int64]int{}
		}
		copies++
		if times[at][offset]++; times[at][offset] > 1 {
			c.s.blame(at, "delivered twice", "%v@%d is in %s %d times", at, offset, c.target, times[at][offset])
		}
		if !c.replayable[at.partition].Contains(offset) {
			c.s.blame(at, "copies", "%v@%d was not outstanding before any replay", at, offset)
		}
		found[at] = append(found[at], codec.Range{Start: offset, End: offset + 1})
	})
	c.s.t.Logf("%s: %d records were replayed", c.group, copies)
	ranges := map[place]codec.Ranges{}
	for at, of := range found {
		ranges[at] = codec.NewRanges(of...)
	}
	return ranges
}

// origin is where a copy is from, as its headers (KIP-1191) say.
func origin(r *kgo.Record) (at place, offset int64, err error) {
	headers := map[string]string{}
	for _, h := range r.Headers {
		headers[h.Key] = string(h.Value)
	}
	at.group = headers["__dlq.errors.group"]
	partition, err := strconv.ParseInt(headers["__dlq.errors.partition"], 10, 32)
	if err == nil {
		offset, err = strconv.ParseInt(headers["__dlq.errors.offset"], 10, 64)
	}
	at.partition = int32(partition)
	return at, offset, err
}

// auditStates: everything can be read, without any exception.
func (s *soak) auditStates(looks *commands) {
	s.t.Helper()
	r := s.gapctl(commandTimeout, "describe", "--all", "-o", "json")
	looks.judge(r, 0)
	for _, g := range s.proof.take(s, r).Groups {
		for _, p := range g.Partitions {
			if p.Error != nil {
				s.fail("undecodable", "%s %s/%d: %s: %s", g.Group, p.Topic, p.Partition, p.Error.Class, p.Error.Message)
			}
		}
	}
	r = s.gapctl(commandTimeout, "check", "--all", "-o", "json")
	looks.judge(r, 0, 3)
}
