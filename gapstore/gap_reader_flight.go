package gapstore

import (
	"context"
	"math"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// gapFlight is one request, and then its answer.
type gapFlight struct {
	leader int32
	lane   *Store
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
	p.at.Offset, p.at.Wanted = run.ranges[0].Start, run.ranges // which does not change while it flies
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

// fetch asks for the parts of f.
func (f *gapFlight) fetch(ctx context.Context) error {
	positions := make([]Position, len(f.parts))
	f.got = make([]Fetched, len(f.parts))
	for i, p := range f.parts {
		positions[i], f.got[i].Next = p.at, p.at.Offset
	}
	// Each part has its own limit, and add bounds their sum.
	resp, err := f.lane.askFetch(ctx, f.leader, positions, FetchLimit{Response: math.MaxInt32}, committedOnly)
	if err != nil {
		return err
	}
	eachFetched(positions, resp, func(i int, p *kmsg.FetchResponseTopicPartition) {
		f.got[i] = f.lane.unpack(positions[i], p, committedOnly, nil)
	})
	return nil
}

func (p gapPart) hunger() int {
	if p.run.starved {
		return 1
	}
	return 0
}
