package gapstore

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A broker serves the requests of one connection one by one, and a client has
// one connection for fetches. Where there is much to ask, more clients are made.
const (
	lanesAtMost    = 3
	flightsPerLane = 8 // requests, before another lane is made
)

// lane is the store to ask for the next flight, in turn.
func (r *gapReader) lane() *Store {
	r.launched++
	if r.launched%flightsPerLane == 0 && len(r.lanes) < lanesAtMost && !r.crowded {
		if lane, err := r.store.another(); err == nil {
			r.lanes = append(r.lanes, lane)
		}
	}
	return r.lanes[r.launched%len(r.lanes)]
}

// leave gives a lane up that failed, if it is not the only one: the broker may
// not take so many connections. It reports whether it did.
func (r *gapReader) leave(lane *Store) bool {
	at := slices.Index(r.lanes, lane)
	if at <= 0 {
		return at < 0
	}
	r.lanes, r.crowded = slices.Delete(r.lanes, at, at+1), true
	r.left = append(r.left, lane)
	return true
}

// closeLanes ends the connections that were made for this reading.
func (r *gapReader) closeLanes() {
	for _, lane := range append(r.lanes[1:], r.left...) {
		lane.client.Close()
	}
}

// another is s over connections of its own, for the requests that need no more
// than a client. They are made when the first of them is sent.
func (s *Store) another() (*Store, error) {
	client, err := s.dial(kgo.MaxVersions(readVersions()), kgo.WithHooks(s.traffic))
	if err != nil {
		return nil, Classify("connect", err)
	}
	return &Store{client: client, traffic: s.traffic, decompressor: s.decompressor}, nil
}
