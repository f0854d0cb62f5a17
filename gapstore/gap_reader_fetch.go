package gapstore

import (
	"cmp"
	"errors"
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
	// startRoom is that before anything is known: of a batch as large as Java
	// producers make it unless told otherwise (batch.size).
	startRoom = 17 << 10
)

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

// wanting is the next run to ask records for, and up to how much the log may
// hold then; nil when there is none, or no room. None is asked for a morsel.
func (l *gapLog) wanting(share int64) (*gapRun, int64) {
	// The rest is kept for the run whose turn it is, should that come last.
	limit := func(i int) int64 {
		if i == 0 {
			return share
		}
		return aheadShare(share)
	}
	if l.again {
		l.again = false
		for i, run := range l.runs {
			if len(run.ranges) == 0 || run.flying {
				continue
			}
			l.again = true
			if l.held < share/2 || i == 0 && len(run.found) == 0 {
				return run, limit(i)
			}
		}
	}
	if i := len(l.runs); l.held < share/2 || i == 0 {
		return l.cut(), limit(i)
	}
	return nil, 0
}

func (r *gapReader) launch(f *gapFlight) {
	// A part that is in want of a batch larger than its room comes first.
	slices.SortStableFunc(f.parts, func(a, b gapPart) int { return cmp.Compare(b.hunger(), a.hunger()) })
	r.flying[f.leader]++
	f.lane = r.lane()
	r.fetches.Go(func() {
		f.err = f.fetch(r.ctx)
		select {
		case r.landed <- f:
		case <-r.ctx.Done():
		}
	})
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
	again := f.err != nil && r.ctx.Err() == nil && r.leave(f.lane)
	for i := range f.parts {
		p := &f.parts[i]
		p.run.flying = false
		before := p.log.again
		p.log.again = true
		if p.log.dropped {
			continue
		}
		p.log.held -= p.reserved
		r.held -= p.reserved
		if again {
			continue
		}
		err := f.err
		if err == nil && (f.got[i].Next == p.at.Offset || len(f.got[i].Records) == 0) {
			err = f.got[i].Err
		}
		if err == nil && f.got[i].Next == p.at.Offset {
			if i > 0 {
				p.run.starved = true
				p.log.room = max(p.log.room, min(4*p.at.Room, flightBytes/2))
				continue
			}
			err = &Error{Class: ErrUnavailable, Op: p.at.op(), Err: errors.New("the broker gives no record, though the log goes on")}
		}
		if err != nil {
			r.stale = p.log.failed(err) || r.stale
			continue
		}
		kept := p.log.take(p.run, &f.got[i], r.share())
		p.log.held += kept
		r.held += kept
		p.log.again = before || len(p.run.ranges) > 0
		p.run.starved, p.log.tries, p.log.notBefore = false, 0, time.Time{}
	}
	r.freed += r.memory
}
