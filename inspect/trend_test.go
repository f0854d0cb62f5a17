package inspect

import (
	"testing"
	"time"
)

// trendAt is a snapshot of one partition, some seconds after the start.
func trendAt(seconds int, stable, top int64, gaps string, end int64) *Snapshot {
	s := mapSnapshot(mapPartition(0, stable, top, gaps, 0, end))
	s.TakenAt = s.TakenAt.Add(time.Duration(seconds) * time.Second)
	s.Groups[0].Partitions[0].OldestGapAt = time.Time{}
	return &s
}

func TestTrendRates(t *testing.T) {
	var trend Trend
	trend.Add(trendAt(0, 100, 200, "100-109", 1000))
	if r := trend.Rates(); r.Known {
		t.Errorf("rates of one sample: %+v", r)
	}
	trend.Add(trendAt(10, 100, 300, "100-104", 1050)) // 105 more are committed, 50 are new
	want := Rates{Known: true, Acks: 10.5, New: 5}
	if r := trend.Rates(); r != want {
		t.Errorf("rates %+v, want %+v", r, want)
	}
	key := trendAt(0, 0, 0, "", 0).Groups[0].Partitions[0].Key
	if r := trend.PartitionRates(key); r != want {
		t.Errorf("rates of the partition %+v, want %+v", r, want)
	}
	for i := range 2 * trendSamples { // what was before the last samples is forgotten
		trend.Add(trendAt(20+i, 100, 300, "100-104", 1050))
	}
	if r := trend.Rates(); r.Acks != 0 || r.New != 0 {
		t.Errorf("rates after nothing happened for long: %+v", r)
	}
}

func TestTrendDrain(t *testing.T) {
	cases := []struct {
		rates Rates
		lag   int64
		want  time.Duration
		ok    bool
	}{
		{Rates{true, 15, 5}, 100, 10 * time.Second, true},
		{Rates{true, 5, 5}, 100, 0, false},
		{Rates{true, -5, 0}, 100, 0, false},
		{Rates{}, 100, 0, false},
		{Rates{}, 0, 0, true},
		{Rates{true, 15, 5}, -1, 0, false},
		{Rates{true, 1e-300, 0}, 1 << 62, 0, false},
	}
	for _, c := range cases {
		if got, ok := c.rates.Drain(c.lag); got != c.want || ok != c.ok {
			t.Errorf("%+v with %d left: %s, %t", c.rates, c.lag, got, ok)
		}
	}
}

func TestTrendStuck(t *testing.T) {
	var trend Trend
	first := trendAt(0, 100, 200, "100", 1000)
	start, key := first.TakenAt, first.Groups[0].Partitions[0].Key
	first.Groups[0].Partitions[0].OldestGapAt = start.Add(-time.Hour)
	stuck := func(s *Snapshot) (time.Time, bool) {
		trend.Add(s)
		return trend.StuckSince(key)
	}
	if at, ok := stuck(first); ok {
		t.Errorf("stuck since %s at first sight", at)
	}
	next := trendAt(5, 100, 300, "100", 1000)
	if at, ok := stuck(next); !ok || !at.Equal(start) {
		t.Errorf("stuck since %s, %t", at, ok)
	}
	if age := next.Groups[0].Partitions[0].OldestGapAt; !age.Equal(start.Add(-time.Hour)) {
		t.Errorf("the age of a gap that has not moved is %s", age)
	}
	moved := trendAt(10, 250, 300, "250", 1000)
	if at, ok := stuck(moved); ok {
		t.Errorf("stuck since %s right after it moved", at)
	}
	if age := moved.Groups[0].Partitions[0].OldestGapAt; !age.IsZero() {
		t.Errorf("a gap that has moved keeps the age %s", age)
	}
	if at, ok := stuck(trendAt(15, 300, 300, "", 1000)); ok {
		t.Errorf("stuck since %s without a gap", at)
	}
}
