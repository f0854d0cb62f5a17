package gapstore

import (
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

const (
	// jumpBytes is the size of a hole between gaps that is read through rather
	// than jumped over with another request.
	jumpBytes = 32 << 10
	// bytesPerOffset is what an offset is taken to cost before that is known.
	bytesPerOffset = 100
	startSwell     = 4
	// runRanges and runBytes are how much is read in one go, runsAhead how many
	// such runs of a log are known at once: as long as all logs have some to ask
	// for, they share requests.
	runRanges = 1 << 12
	runBytes  = 1 << 20
	runsAhead = 1 << 12
)

// gapLog is the log of one partition, as far as it is to be read.
type gapLog struct {
	at     Position
	leader int32
	bounds codec.Range // of what read-committed readers get

	ranges func() (codec.Range, bool)
	stop   func()
	rest   codec.Range // the range that is not in a run yet; empty: none is left
	runs   []*gapRun   // in order of offset; only the first is taken from
	again  bool        // there may be a run that has to be asked for again

	held      int64   // bytes kept, or asked for
	perOffset float64 // bytes that an offset takes in the log
	swell     float64 // times that, as a record in memory
	room      int32   // that the next batch is known to need at least

	tries     int // in a row, in vain
	notBefore time.Time
	err       error
	dropped   bool
}

// gapRun is a part of a log that is read from start to end: gaps so near to
// each other that it does not pay to jump.
type gapRun struct {
	ranges  []codec.Range // what is still to be read
	found   []gapPiece    // what was read and not taken yet
	flying  bool          // a request is under way
	starved bool          // its batch did not fit: it has to come first
}

// gapPiece is a [Found] of a log that is known.
type gapPiece struct {
	offsets codec.Range
	record  *kgo.Record
}

// advance fetches the next range into rest.
func (l *gapLog) advance() {
	for {
		next, ok := l.ranges()
		if !ok || next.Start >= l.bounds.End {
			l.rest = codec.Range{}
			return
		}
		if l.rest = next.Clip(l.bounds); !l.rest.Empty() {
			return
		}
	}
}

// cut makes the next run, nil when all ranges are in one.
func (l *gapLog) cut() *gapRun {
	if l.rest.Empty() || len(l.runs) >= runsAhead {
		return nil
	}
	run := &gapRun{}
	jump := int64(float64(max(jumpBytes, l.room)) / l.perOffset) // a batch comes whole in any case
	most := l.rest.Start + int64(runBytes/l.perOffset) + 1
	for end := l.rest.Start; !l.rest.Empty() && l.rest.Start-end <= jump && l.rest.Start < most && len(run.ranges) < runRanges; {
		part := l.rest.Clip(codec.Range{End: most})
		run.ranges = append(run.ranges, part)
		end = part.End
		if l.rest.Start = end; l.rest.Empty() {
			l.advance()
		}
	}
	l.runs = append(l.runs, run)
	return run
}

// head is what to take next, nil when it is not known yet, or nothing is left.
func (l *gapLog) head() *gapPiece {
	for len(l.runs) > 0 {
		run := l.runs[0]
		if len(run.found) > 0 {
			return &run.found[0]
		}
		if len(run.ranges) > 0 || run.flying {
			return nil
		}
		l.runs = l.runs[1:]
	}
	return nil
}

// settled reports whether it is known what to take next, or that there is
// nothing, or nothing but an error.
func (l *gapLog) settled() bool {
	return l.head() != nil || l.err != nil || len(l.runs) == 0 && l.rest.Empty()
}

func (l *gapLog) pop() (gapPiece, bool) {
	head := l.head()
	if head == nil {
		return gapPiece{}, false
	}
	piece := *head
	head.record = nil // let go of it
	l.runs[0].found = l.runs[0].found[1:]
	return piece, true
}

// take keeps of what was fetched for run as much as share allows, and is what
// it keeps in bytes. What it does not keep is fetched again later.
func (l *gapLog) take(run *gapRun, got *Fetched, share int64) (kept int64) {
	if run != l.runs[0] {
		share = aheadShare(share)
	}
	from, seen := len(run.found), 0
	all, full := int64(0), false
	run.found = slices.Grow(run.found, min(len(got.Records), 1<<14))
	for _, record := range got.Records {
		size := memoryOf(record)
		all += size
		seen++
		l.pass(run, record.Offset)
		if len(run.ranges) == 0 || record.Offset != run.ranges[0].Start {
			continue
		}
		if full = l.held+kept+size > share && len(run.found) > 0; full {
			break
		}
		kept += size
		run.found = append(run.found, gapPiece{codec.Range{Start: record.Offset, End: record.Offset + 1}, record})
		run.skip(record.Offset + 1)
	}
	if !full && got.Err == nil { // what can not be decoded is not empty
		l.pass(run, got.Next)
	}
	if seen > 0 {
		all = all / int64(seen) * int64(len(got.Records))
	}
	l.learn(got, all)
	if 3*kept < all { // records share the memory of their batch
		for i := from; i < len(run.found); i++ {
			if run.found[i].record != nil {
				run.found[i].record = cloneRecord(run.found[i].record)
			}
		}
	}
	for i := from; i < len(run.found); i++ {
		if run.found[i].record == nil {
			kept += emptySize
		}
	}
	return kept
}

// pass notes that there is no record at what run has left below offset.
func (l *gapLog) pass(run *gapRun, offset int64) {
	for len(run.ranges) > 0 && run.ranges[0].Start < offset {
		empty := run.ranges[0].Clip(codec.Range{End: offset})
		run.found = append(run.found, gapPiece{offsets: empty})
		run.skip(empty.End)
	}
}

// skip takes what is below offset out of the ranges to read.
func (r *gapRun) skip(offset int64) {
	for len(r.ranges) > 0 && r.ranges[0].Start < offset {
		if r.ranges[0].Start = offset; r.ranges[0].Empty() {
			r.ranges = r.ranges[1:]
		}
	}
}

// narrow adapts what is to be read to a log that is shorter now.
func (l *gapLog) narrow(bounds codec.Range) {
	l.bounds = l.bounds.Clip(bounds)
	for _, run := range l.runs {
		var left []codec.Range // and not in place: a request under way looks at them
		for _, r := range run.ranges {
			if r = r.Clip(l.bounds); !r.Empty() {
				left = append(left, r)
			}
		}
		run.ranges = left
	}
	if !l.rest.Empty() {
		if l.rest = l.rest.Clip(l.bounds); l.rest.Empty() {
			l.advance()
		}
	}
}

// failed notes a failure, and reports whether it is worth another try.
func (l *gapLog) failed(err error) (again bool) {
	again = errors.Is(err, ErrUnavailable) || errors.Is(err, kerr.OffsetOutOfRange) // retention is at work
	if l.tries++; l.tries >= readTries || !again {
		l.err = err
		return false
	}
	l.notBefore = time.Now().Add(min(time.Second, retryEvery<<(l.tries-1)))
	return true
}
