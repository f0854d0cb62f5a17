//go:build linux

package soak

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/gapctl/gapctl/codec"
)

// place is a partition of a group.
type place struct {
	group     string
	partition int32
}

// seen is what a describe has shown to be committed. It was so at some moment
// between begun and ended.
type seen struct {
	begun, ended time.Duration
	done         codec.Ranges
}

// evidence is all that was ever seen to be committed. It holds the product to
// its word: what is committed stays committed, and does not come again.
type evidence struct {
	mu     sync.Mutex
	recent map[place][]seen
	proved map[place]codec.Ranges // by what is no longer recent
	since  map[place]map[int64]time.Duration
	docs   int
	back   []wentBack
}

// wentBack is what was committed, and later was not.
type wentBack struct {
	at   place
	what codec.Ranges
}

func newEvidence() *evidence {
	return &evidence{recent: map[place][]seen{}, proved: map[place]codec.Ranges{}, since: map[place]map[int64]time.Duration{}}
}

// described is the document of describe, as far as it is needed.
type described struct {
	Groups []struct {
		Group      string
		Partitions []describedPartition
	}
}

type describedPartition struct {
	Topic       string
	Partition   int32
	Stable, Max *int64
	LogEnd      int64 `json:"log_end"`
	Gaps        codec.Ranges
	Error       *struct{ Class, Message string }
}

// done is what is committed.
func (p describedPartition) done() codec.Ranges {
	return codec.NewRanges(codec.Range{Start: 0, End: *p.Max}).Sub(p.Gaps)
}

// take reads a document, and finds what is undecodable and what went back.
func (e *evidence) take(s *soak, r ran) described {
	var doc described
	if err := json.Unmarshal(r.stdout, &doc); err != nil {
		s.fail("output", "%v in %q", err, head(string(r.stdout), 5))
		return doc
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.docs++
	for _, g := range doc.Groups {
		for _, p := range g.Partitions {
			at := place{g.Group, p.Partition}
			switch {
			case p.Topic != topic:
			case p.Error != nil && p.Error.Class != "unavailable":
				s.fail("undecodable", "%v: %s: %s", at, p.Error.Class, p.Error.Message)
			case p.Error == nil && p.Stable != nil && p.Max != nil:
				e.add(s, at, seen{r.begun, r.ended, p.done()})
			}
		}
	}
	return doc
}

func (e *evidence) add(s *soak, at place, now seen) {
	const memory = 2 * (commandTimeout + commandSlack) // longer than any command takes
	earlier := e.proved[at]
	var recent []seen
	for _, before := range e.recent[at] {
		if before.ended < now.begun {
			earlier = earlier.Union(before.done)
		}
		if before.ended < now.begun-memory {
			e.proved[at] = e.proved[at].Union(before.done)
		} else {
			recent = append(recent, before)
		}
	}
	if back := earlier.Sub(now.done); !back.Empty() {
		s.t.Logf("went back: %v: %v was committed, and is not any more; begun %v, ended %v", at, back, now.begun, now.ended)
		e.back = append(e.back, wentBack{at, back})
	}
	if e.since[at] == nil {
		e.since[at] = map[int64]time.Duration{}
	}
	for r := range now.done.Sub(earlier).All() {
		for offset := r.Start; offset < r.End; offset++ {
			if was, ok := e.since[at][offset]; !ok || now.ended < was {
				e.since[at][offset] = now.ended
			}
		}
	}
	e.recent[at] = append(recent, now)
}

// knows tells whether anything of a group was ever seen.
func (e *evidence) knows(group string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for at := range e.since {
		if at.group == group {
			return true
		}
	}
	return false
}

// committed is by when an offset was committed for sure.
func (e *evidence) committed(at place, offset int64) (time.Duration, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.since[at][offset]
	return t, ok
}
