//go:build linux

package soak

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// readTopic reads what a read-committed consumer gets of a topic.
func (s *soak) readTopic(name string, take func(*kgo.Record)) {
	s.t.Helper()
	s.readLog(name, kgo.ReadCommitted(), func(r *kgo.Record) {
		if !r.Attrs.IsControl() {
			take(r)
		}
	})
}

// readLog reads a topic with its control records.
func (s *soak) readLog(name string, isolation kgo.IsolationLevel, take func(*kgo.Record)) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, 2*time.Minute)
	defer cancel()
	client, err := s.dial(kgo.ConsumeTopics(name),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(isolation), kgo.KeepControlRecords())
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, name)
	if err != nil {
		s.t.Fatal(err)
	}
	left := map[int32]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			s.fail("audit", "read %s: %v, %v left", name, err, left)
			return
		}
		fetches.EachRecord(func(r *kgo.Record) {
			take(r)
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
}
