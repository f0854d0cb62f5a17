package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// suspect is something that the stuck records of a group in one topic have in
// common, and the done ones have not.
type suspect struct {
	topic string
	trait
	stuck, ofStuck int // records with it, out of so many
	done, ofDone   int
}

// traitCounts counts the records of one topic, and those with each trait.
type traitCounts struct {
	stuck, done     map[trait]int
	ofStuck, ofDone int
}

// suspects looks for what stuck records have in common: one key, or one header.
func (s *sample) suspects(g *Group, before time.Time) []suspect {
	if s == nil {
		return nil
	}
	topics := map[string]*traitCounts{}
	for i := range g.Partitions {
		p := &g.Partitions[i]
		sampled := s.partitions[p.Key]
		if sampled == nil {
			continue
		}
		in := topics[p.Topic]
		if in == nil {
			in = &traitCounts{stuck: map[trait]int{}, done: map[trait]int{}}
			topics[p.Topic] = in
		}
		for _, record := range sampled.got {
			switch {
			case !p.State.Gaps.Contains(record.offset):
				in.ofDone++
				count(in.done, record.traits)
			case isStuck(g, record, before):
				in.ofStuck++
				count(in.stuck, record.traits)
			}
		}
	}
	var found []suspect
	for topic, in := range topics {
		found = append(found, in.suspects(topic)...)
	}
	slices.SortFunc(found, func(a, b suspect) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(b.stuck, a.stuck), cmp.Compare(a.done, b.done),
			strings.Compare(a.header, b.header), strings.Compare(a.value, b.value))
	})
	return found
}

// isStuck reports whether a record in a gap is stuck. In a group with members,
// one that was written after before may just be under way.
func isStuck(g *Group, r sampledRecord, before time.Time) bool {
	return len(g.Members) == 0 || !r.at.After(before)
}

func count(in map[trait]int, traits []trait) {
	for _, t := range traits {
		in[t]++
	}
}

// suspects are the traits of at least four in five stuck records, but of at most
// one in five that are done. Without any that are done, only a key that all have
// is suspected: headers are often the same everywhere.
func (c *traitCounts) suspects(topic string) []suspect {
	if c.ofStuck < leastStuck {
		return nil
	}
	var found []suspect
	for t, n := range c.stuck {
		done := c.done[t]
		common := 5*n >= 4*c.ofStuck && 5*done <= c.ofDone
		if c.ofDone == 0 {
			common = t.isKey && n == c.ofStuck
		}
		if common {
			found = append(found, suspect{topic, t, n, c.ofStuck, done, c.ofDone})
		}
	}
	return found
}

// shownSuspects is how many a message tells.
const shownSuspects = 3

// poison names what the records of a partition that are stuck have in common.
func (c *checking) poison(g *Group, p *Partition) *Finding {
	var texts []string
	var ranges []codec.Range
	for _, s := range c.suspects {
		if s.topic != p.Topic {
			continue
		}
		offsets := c.sample.stuckWith(s.trait, g, p, c.stuckBefore())
		if len(offsets) == 0 {
			continue
		}
		ranges = append(ranges, offsets...)
		if len(texts) < shownSuspects {
			texts = append(texts, s.String())
		}
	}
	if len(ranges) == 0 {
		return nil
	}
	f := &Finding{Kind: "poison-suspect", Level: LevelWarn, Ranges: codec.NewRanges(ranges...)}
	f.Message = strings.Join(texts, "; ") + ": it may be why they can not be processed"
	f.Remedy = Command("records", g.Name, p.place().String()+"@"+firstOffsets(f.Ranges, shownRanges).String()) + " --values"
	return f
}

// stuckWith are the offsets of the stuck records of p that have the trait.
func (s *sample) stuckWith(t trait, g *Group, p *Partition, before time.Time) []codec.Range {
	var ranges []codec.Range
	if sampled := s.partitions[p.Key]; sampled != nil {
		for _, record := range sampled.got {
			if p.State.Gaps.Contains(record.offset) && isStuck(g, record, before) && slices.Contains(record.traits, t) {
				ranges = append(ranges, codec.Range{Start: record.offset, End: record.offset + 1})
			}
		}
	}
	return ranges
}

// String is "19 of 20 stuck records of orders have the key "k", and 1 of 64 done
// ones".
func (s suspect) String() string {
	what := fmt.Sprintf("the key %s", quoted(s.value))
	if !s.isKey {
		what = fmt.Sprintf("the header %s: %s", quoted(s.header), quoted(s.value))
	}
	return fmt.Sprintf("%d of %d stuck records of %s have %s, and %d of %d done ones",
		s.stuck, s.ofStuck, s.topic, what, s.done, s.ofDone)
}
