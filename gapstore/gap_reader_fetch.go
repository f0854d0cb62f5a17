package gapstore

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// flightsPerLeader are the requests to one broker at once. It serves those
	// of one connection one by one: this hides the way there and back.
	flightsPerLeader = 16
	// flightLogs and flightBytes bound one request and its answer.
	flightLogs  = 500
	flightBytes = 8 << 20
	// leastRoom is what is asked for at least, for one partition. A broker
	// gives the partition that comes first a whole batch in any case (KIP-74).
	leastRoom = 1 << 10
)

// gapFlight is one request, and then its answer.
type gapFlight struct {
	leader int32
	parts  []gapPart
	room   int32 // of all parts
	got    []Fetched
	err    error
}

// gapPart is the run of one log in a request, which holds a log only once.
type gapPart struct {
	log      *gapLog
	run      *gapRun
	at       Position
	reserved int64 // memory, until the answer is there
}

// share is what one log may keep or ask for, in bytes.
func (r *gapReader) share() int64 {
	if r.order == ByArrival {
		return r.memory / int64(max(2, len(r.logs)))
	}
	return r.memory / 2
}

// schedule sends requests for what there is room for.
func (r *gapReader) schedule() {
	r.freed = 0
	if r.stale {
		r.relocate()
	}
	now := time.Now()
	for {
		flights := map[int32]*gapFlight{}
		for i, log := range r.logs {
			if i > 0 && r.order == ByPartition && r.held > r.memory/2 {
				break // the rest is kept for the log whose turn it is
			}
			if log.err != nil || now.Before(log.notBefore) || r.flying[log.leader] >= flightsPerLeader {
				continue
			}
			f := flights[log.leader]
			if f == nil {
				f = &gapFlight{leader: log.leader}
			}
			if f.add(log, r.share()) {
				r.held += f.parts[len(f.parts)-1].reserved
				flights[log.leader] = f
			}
		}
		if len(flights) == 0 {
			return
		}
		for _, f := range flights {
			r.launch(f)
		}
	}
}

// add adds the next run of log that lacks records, if it has room for one.
func (f *gapFlight) add(log *gapLog, share int64) bool {
	if len(f.parts) >= flightLogs || f.room >= flightBytes {
		return false
	}
	run, limit := log.wanting(share)
	if run == nil {
		return false
	}
	p := gapPart{log: log, run: run, at: log.at}
	p.at.Offset = run.ranges[0].Start
	least := float64(log.room)
	bytes := float64(run.ranges[len(run.ranges)-1].End-p.at.Offset) * log.perOffset * 1.1
	p.at.Room = int32(min(max(bytes, least), max(least, float64(limit-log.held)/log.swell), flightBytes/2))
	p.reserved = int64(float64(p.at.Room) * log.swell)
	run.flying = true
	log.held += p.reserved
	f.room += p.at.Room
	f.parts = append(f.parts, p)
	return true
}

// wanting is the next run to ask records for, and up to how much the log may
// hold then; nil when there is none, or no room. None is asked for a morsel.
func (l *gapLog) wanting(share int64) (*gapRun, int64) {
	limit := share
	for i, run := range l.runs {
		if len(run.ranges) > 0 && !run.flying && (l.held < share/2 || i == 0 && len(run.found) == 0) {
			return run, limit
		}
		limit = aheadShare(share)
	}
	if l.held < share/2 || len(l.runs) == 0 {
		return l.cut(), limit
	}
	return nil, 0
}

func (r *gapReader) launch(f *gapFlight) {
	// A part that is in want of a batch larger than its room comes first.
	slices.SortStableFunc(f.parts, func(a, b gapPart) int { return cmp.Compare(b.hunger(), a.hunger()) })
	r.flying[f.leader]++
	r.fetches.Go(func() {
		positions := make([]Position, len(f.parts))
		for i, p := range f.parts {
			positions[i] = p.at
		}
		// Each part has its own limit, and add bounds their sum.
		f.got, f.err = r.store.Fetch(r.ctx, f.leader, positions, FetchLimit{Response: math.MaxInt32})
		select {
		case r.landed <- f:
		case <-r.ctx.Done():
		}
	})
}

func (p gapPart) hunger() int {
	if p.run.starved {
		return 1
	}
	return 0
}

// land takes in what has arrived, without waiting; false: the context ended.
func (r *gapReader) land() bool {
	for len(r.landed) > 0 {
		r.unload(<-r.landed)
	}
	return r.ctx.Err() == nil
}

// wait waits for an answer, or until a log may be asked again.
func (r *gapReader) wait() {
	pause := time.Hour
	for _, log := range r.logs {
		if left := time.Until(log.notBefore); left > 0 {
			pause = min(pause, left)
		}
	}
	if r.inFlight() == 0 {
		pause = min(pause, retryEvery)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case f := <-r.landed:
		r.unload(f)
	case <-timer.C:
	case <-r.ctx.Done():
	}
	r.freed = r.memory // something is to be sent, or to be sent again
}

func (r *gapReader) inFlight() int {
	n := 0
	for _, flights := range r.flying {
		n += flights
	}
	return n
}

// unload gives the runs what was fetched for them.
func (r *gapReader) unload(f *gapFlight) {
	r.flying[f.leader]--
	for i := range f.parts {
		p := &f.parts[i]
		p.run.flying = false
		if p.log.dropped {
			continue
		}
		p.log.held -= p.reserved
		r.held -= p.reserved
		err := f.err
		if err == nil && (f.got[i].Next == p.at.Offset || len(f.got[i].Records) == 0) {
			err = f.got[i].Err
		}
		if err == nil && f.got[i].Next == p.at.Offset {
			if i > 0 {
				p.run.starved = true
				p.log.room = min(8*p.log.room, flightBytes/2)
				continue
			}
			err = &Error{Class: ErrUnavailable, Op: p.at.String(), Err: errors.New("the broker gives no record, though the log goes on")}
		}
		if err != nil {
			r.stale = p.log.failed(err) || r.stale
			continue
		}
		kept := p.log.take(p.run, &f.got[i], r.share())
		p.log.held += kept
		r.held += kept
		p.run.starved, p.log.tries, p.log.notBefore = false, 0, time.Time{}
	}
	r.freed += r.memory
}

// String is the position for messages.
func (p Position) String() string {
	return fmt.Sprintf("read %s/%d at offset %d", p.Topic, p.Partition, p.Offset)
}
