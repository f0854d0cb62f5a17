package inspect

import (
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// trendSamples is how many samples rates are taken over: enough that they do
// not flicker, and few enough that they tell of now.
const trendSamples = 10

// Trend follows groups from snapshot to snapshot.
type Trend struct {
	samples []trendSample             // the last ones, in order
	stuck   map[gapstore.Key]gapSince // since when the first gap is where it is
	ages    map[gapstore.Key]gapSince // since when the first gap's record waits
}

// trendSample is the sums of one snapshot, and those of each partition.
type trendSample struct {
	at   time.Time
	done map[gapstore.Key]int64 // offsets that are committed
	end  map[gapstore.Key]int64 // log end
}

// gapSince is an instant that holds for as long as the first gap, and with it the
// stable offset, does not move.
type gapSince struct {
	stable int64
	at     time.Time
}

// Rates is what a group, or a partition, gains and loses.
type Rates struct {
	Known bool    // there are two samples
	Acks  float64 // records committed per second; below 0 when commits are undone
	New   float64 // records written per second
}

// Drain is how long it takes until nothing remains of trueLag; false when it
// never will at these rates, or they are not known.
func (r Rates) Drain(trueLag int64) (time.Duration, bool) {
	gain := r.Acks - r.New
	switch {
	case trueLag == 0:
		return 0, true
	case !r.Known || trueLag < 0 || gain <= 0:
		return 0, false
	}
	const longest = 100 * 365 * 24 * time.Hour
	seconds := float64(trueLag) / gain
	if seconds > longest.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// Add takes the next snapshot, and gives it the ages of first gaps that were
// known before and have not moved since.
func (t *Trend) Add(s *Snapshot) {
	if t.stuck == nil {
		t.stuck, t.ages = map[gapstore.Key]gapSince{}, map[gapstore.Key]gapSince{}
	}
	sample := trendSample{s.TakenAt, map[gapstore.Key]int64{}, map[gapstore.Key]int64{}}
	eachPartition(s.Groups, func(p *Partition) {
		if p.LogEnd >= 0 {
			sample.end[p.Key] = p.LogEnd
		}
		if !p.HasState() {
			return
		}
		sample.done[p.Key] = max(p.State.Stable, p.State.Max) - p.State.Outstanding()
		t.follow(p, s.TakenAt)
	})
	t.samples = append(t.samples, sample)
	if len(t.samples) > trendSamples {
		t.samples = t.samples[1:]
	}
}

// follow notes whether the first gap of p has moved.
func (t *Trend) follow(p *Partition, at time.Time) {
	if p.State.Gaps.Empty() {
		delete(t.stuck, p.Key)
		delete(t.ages, p.Key)
		return
	}
	if since, ok := t.stuck[p.Key]; !ok || since.stable != p.State.Stable {
		t.stuck[p.Key] = gapSince{p.State.Stable, at}
	}
	if !p.OldestGapAt.IsZero() {
		t.ages[p.Key] = gapSince{p.State.Stable, p.OldestGapAt}
	} else if age, ok := t.ages[p.Key]; ok && age.stable == p.State.Stable {
		p.OldestGapAt = age.at
	}
}

// StuckSince is when the first gap of the partition was first seen where it is;
// false when it has no gap, or it has moved since the snapshot before.
func (t *Trend) StuckSince(key gapstore.Key) (time.Time, bool) {
	since, ok := t.stuck[key]
	return since.at, ok && len(t.samples) > 1 && since.at.Before(t.samples[len(t.samples)-1].at)
}

// Rates are those of the whole.
func (t *Trend) Rates() Rates {
	return t.between(func(a, b trendSample, seconds float64) (r Rates) {
		for key := range b.done {
			r.add(a, b, key, seconds)
		}
		return r
	})
}

// PartitionRates are those of one partition.
func (t *Trend) PartitionRates(key gapstore.Key) Rates {
	return t.between(func(a, b trendSample, seconds float64) (r Rates) {
		r.add(a, b, key, seconds)
		return r
	})
}

func (t *Trend) between(rates func(a, b trendSample, seconds float64) Rates) Rates {
	if len(t.samples) < 2 {
		return Rates{}
	}
	a, b := t.samples[0], t.samples[len(t.samples)-1]
	seconds := b.at.Sub(a.at).Seconds()
	if seconds <= 0 {
		return Rates{}
	}
	r := rates(a, b, seconds)
	r.Known = true
	return r
}

// add adds what a partition that is in both samples contributes.
func (r *Rates) add(a, b trendSample, key gapstore.Key, seconds float64) {
	if before, ok := a.done[key]; ok {
		if now, ok := b.done[key]; ok {
			r.Acks += float64(now-before) / seconds
		}
	}
	if before, ok := a.end[key]; ok {
		if now, ok := b.end[key]; ok {
			r.New += float64(now-before) / seconds
		}
	}
}
