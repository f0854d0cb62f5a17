package inspect

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/gapstore"
)

// OffsetsAt finds, for every partition in s, the first offset whose record is
// not older than at, by the records' timestamps; the log end where there is
// none. A partition that could not be asked about is left out of the map, and
// has its Err set unless it had one before. The error is that nothing could be
// asked at all.
func OffsetsAt(ctx context.Context, store *gapstore.Store, s *Snapshot, at time.Time) (map[gapstore.Key]int64, error) {
	topics := map[string]bool{}
	eachPartition(s.Groups, func(p *Partition) { topics[p.Topic] = true })
	found := make(map[gapstore.Key]int64)
	if len(topics) == 0 {
		return found, nil
	}
	names := make([]string, 0, len(topics))
	for name := range topics {
		names = append(names, name)
	}
	op := "find the offsets of " + at.UTC().Format(timeLayout)
	listed, err := kadm.NewClient(store.Client()).ListOffsetsAfterMilli(ctx, at.UnixMilli(), names...)
	if err != nil && len(listed) == 0 {
		return nil, store.Failure(op, err)
	}
	eachPartition(s.Groups, func(p *Partition) {
		o, ok := listed.Lookup(p.Topic, p.Partition)
		switch {
		case ok && o.Err == nil:
			found[p.Key] = o.Offset
		case ok:
			p.failLog(store.Failure(fmt.Sprintf("%s in %s", op, p.place()), o.Err))
		}
	})
	return found, nil
}
