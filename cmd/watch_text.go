package cmd

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/gapctl/gapctl/inspect"
)

// line is the numbers in one line: the time, the group, then names and values.
func (w *watcher) line() string {
	v := inspect.NewListView(w.last).Groups[0]
	return fmt.Sprintf("%s %s outstanding %s gaps %s true-lag %s lag %s acks %s new %s drain %s stuck %d oldest %s",
		inspect.Time{Time: w.last.TakenAt}, inspect.Clean(v.Group), v.Outstanding, v.GapCount, v.TrueLag, v.Lag,
		rate(w.trend.Rates(), acks), rate(w.trend.Rates(), written), w.drain(), w.stuck(), w.oldest())
}

func acks(r inspect.Rates) float64 { return r.Acks }

func written(r inspect.Rates) float64 { return r.New }

// rate is records per second: "12/s", "0.3/s", or "-" when not known.
func rate(r inspect.Rates, of func(inspect.Rates) float64) string {
	if !r.Known {
		return "-"
	}
	n := of(r)
	if n == math.Trunc(n) || math.Abs(n) >= 10 {
		return strconv.FormatFloat(n, 'f', 0, 64) + "/s"
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + "/s"
}

// drain is how long it takes until nothing is left: "3m12s", or "never".
func (w *watcher) drain() string {
	rates := w.trend.Rates()
	left := w.last.Groups[0].Sums().TrueLag
	d, ok := rates.Drain(left)
	switch {
	case ok:
		return inspect.Spell(d)
	case !rates.Known || left < 0:
		return "-"
	}
	return "never"
}

// stuck is how many partitions have a first gap that has not moved.
func (w *watcher) stuck() int {
	n := 0
	for i := range w.last.Groups[0].Partitions {
		if _, ok := w.trend.StuckSince(w.last.Groups[0].Partitions[i].Key); ok {
			n++
		}
	}
	return n
}

func (w *watcher) oldest() string { return w.ago(w.last.Groups[0].Sums().OldestGapAt) }

// ago is how long before the last look t was, or "-".
func (w *watcher) ago(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return inspect.Spell(w.last.TakenAt.Sub(t))
}
