//go:build linux

package soak

import (
	"context"
	"fmt"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// settling is how long the consumers may take to finish what is left, once all
// is well again.
const settling = 3 * time.Minute

// settle waits until every group is through with what was acknowledged.
func (s *soak) settle(g *gang, cycles []*cycle) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, settling)
	defer cancel()
	for _, group := range []string{wholeGroup, keyGroup, shareGroup} {
		s.await(ctx, group)
	}
	for _, c := range cycles {
		c.finish(ctx)
	}
	s.t.Logf("the groups are through; %d consumers were killed", g.kills)
}

// await returns when a group has committed all that was acknowledged.
func (s *soak) await(ctx context.Context, group string) {
	s.t.Helper()
	for {
		left := s.left(group, codec.Ranges{})
		if left == "" {
			return
		}
		if !pause(ctx, 500*time.Millisecond) {
			s.fail("not through", "%s, %v after the end of all troubles: %s; under way are %s", group, settling, left, s.tellUnderWay())
			return
		}
	}
}

// left is what of the acknowledged records a group has not committed, but for
// those that fail; "" when there is nothing.
func (s *soak) left(group string, fails codec.Ranges) string {
	r := s.gapctl(commandTimeout, "describe", group, "-o", "json")
	if r.code != 0 {
		return fmt.Sprintf("describe ended with %d: %s", r.code, head(string(r.stderr), 3))
	}
	done := map[int32]codec.Ranges{}
	for _, g := range s.proof.take(s, r).Groups {
		for _, p := range g.Partitions {
			if p.Topic == topic && p.Max != nil {
				done[p.Partition] = p.done()
			}
		}
	}
	for p := range int32(partitions) {
		if left := s.acked.ranges(p).Sub(done[p]).Sub(fails); !left.Empty() {
			return fmt.Sprintf("partition %d: %d records, of %v", p, left.Count(), left.Bounds())
		}
	}
	return ""
}

// finish lets the consumer run until only what fails is left, compacts and
// replays that, and looks whether nothing is left then.
func (c *cycle) finish(ctx context.Context) {
	fails := c.s.failingOffsets()
	for c.s.left(c.group, fails) != "" {
		if err := c.consume(ctx, 6*time.Second, false); err != nil {
			c.s.fail("consumer", "%s, after the end of all troubles: %v", c.group, err)
		}
		if ctx.Err() != nil {
			c.s.fail("not through", "%s: %s", c.group, c.s.left(c.group, fails))
			return
		}
	}
	for !c.repair(ctx) {
		if ctx.Err() != nil {
			c.s.fail("not through", "%s could not be repaired", c.group)
			return
		}
	}
	if left := c.s.left(c.group, codec.Ranges{}); left != "" {
		c.s.fail("not through", "%s, after its replay: %s", c.group, left)
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
