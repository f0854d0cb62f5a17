//go:build linux

package soak

import (
	"fmt"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// settling is how long a group may take to finish one record more, once all is
// well again. How long it takes for all of them depends on the machine.
const settling = 3 * time.Minute

// rest is what of the acknowledged records a group has not committed.
type rest struct {
	records int64  // -1 when not known
	text    string // "" when nothing is left
}

// progress is that of a group towards its end.
type progress struct {
	left  int64 // the fewest so far, -1 before it is known
	since time.Time
}

func noProgress() progress { return progress{-1, time.Now()} }

// stuck takes note of what is left, and reports whether the group has come no
// further for too long.
func (p *progress) stuck(r rest) bool {
	if r.records >= 0 && (p.left < 0 || r.records < p.left) {
		*p = progress{r.records, time.Now()}
	}
	return time.Since(p.since) > settling
}

// settle waits until every group is through with what was acknowledged.
func (s *soak) settle(g *gang, cycles []*cycle) {
	s.t.Helper()
	for _, group := range []string{wholeGroup, keyGroup, shareGroup} {
		s.await(group)
	}
	for _, c := range cycles {
		c.finish()
	}
	s.t.Logf("the groups are through; %d consumers were killed", g.kills)
}

// await returns when a group has committed all that was acknowledged.
func (s *soak) await(group string) {
	s.t.Helper()
	for p := noProgress(); ; {
		left := s.left(group, codec.Ranges{})
		if left.text == "" {
			return
		}
		if p.stuck(left) || !pause(s.ctx, 500*time.Millisecond) {
			s.fail("not through", "%s, %v after its last progress: %s; under way are %s", group, settling, left.text, s.tellUnderWay())
			return
		}
	}
}

// left is what a group has left, but for the offsets that always fail.
func (s *soak) left(group string, fails codec.Ranges) rest {
	r := s.gapctl(commandTimeout, "describe", group, "-o", "json")
	if r.code != 0 {
		return rest{-1, fmt.Sprintf("describe ended with %d: %s", r.code, head(string(r.stderr), 3))}
	}
	done := map[int32]codec.Ranges{}
	for _, g := range s.proof.take(s, r).Groups {
		for _, p := range g.Partitions {
			if p.Topic == topic && p.Max != nil {
				done[p.Partition] = p.done()
			}
		}
	}
	var all rest
	for p := range int32(partitions) {
		if left := s.acked.ranges(p).Sub(done[p]).Sub(fails); !left.Empty() {
			all.records += left.Count()
			all.text += fmt.Sprintf(" partition %d: %d records, of %v;", p, left.Count(), left.Bounds())
		}
	}
	return all
}

// finish lets the consumer run until only what fails is left, compacts and
// replays that, and looks whether nothing is left then.
func (c *cycle) finish() {
	fails := c.s.failingOffsets()
	for p := noProgress(); ; {
		left := c.s.left(c.group, fails)
		if left.text == "" {
			break
		}
		if p.stuck(left) || c.s.ctx.Err() != nil {
			c.s.fail("not through", "%s, %v after its last progress: %s", c.group, settling, left.text)
			return
		}
		if err := c.consume(c.s.ctx, 6*time.Second, false); err != nil {
			c.s.fail("consumer", "%s, after the end of all troubles: %v", c.group, err)
		}
	}
	for p := noProgress(); !c.repair(c.s.ctx); {
		if p.stuck(rest{records: -1}) || c.s.ctx.Err() != nil {
			c.s.fail("not through", "%s could not be repaired", c.group)
			return
		}
	}
	if left := c.s.left(c.group, codec.Ranges{}); left.text != "" {
		c.s.fail("not through", "%s, after its replay: %s", c.group, left.text)
	}
}

// failingOffsets are those that the consumers of a cycle never process.
func (s *soak) failingOffsets() codec.Ranges {
	var ranges []codec.Range
	var end int64
	for p := range int32(partitions) {
		end = max(end, s.acked.ranges(p).Bounds().End)
	}
	for offset := int64(0); offset < end; offset += failing {
		ranges = append(ranges, codec.Range{Start: offset, End: offset + 1})
	}
	return codec.NewRanges(ranges...)
}
