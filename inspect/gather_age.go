package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// The bounds of reading ages. A broker gives at least one batch per request,
// but only for the partition that comes first (KIP-74); the others need the
// room that their next batch takes, which grows until they have it.
const (
	ageLogsPerFetch = 1000
	ageBytesFirst   = 32 << 10 // per partition: most batches fit
	ageBytesMost    = 1 << 20
	ageBytesInAll   = 4 << 20 // per response
	ageRounds       = 24      // requests per broker, one after the other, for up to ageLogsPerRound logs
	ageLogsPerRound = 250     // that fit in ageBytesInAll, roughly
)

// ageTarget waits for the record at its first gap.
type ageTarget struct {
	p    *Partition
	want int64 // the first offset in a gap that may hold that record
}

// ageLog is the log of one topic partition, with those that wait for records.
type ageLog struct {
	at     gapstore.Position
	leader int32
	end    int64 // last stable offset
	wait   []ageTarget
	whole  bool // a wanted record was not there: the next one in the gap may be
}

// ask says what to read next, and sorts those that wait for it.
func (l *ageLog) ask() {
	slices.SortFunc(l.wait, func(a, b ageTarget) int { return cmp.Compare(a.want, b.want) })
	l.at.Offset, l.at.Wanted = l.wait[0].want, l.at.Wanted[:0]
	if l.whole {
		return
	}
	for _, t := range l.wait {
		if last := len(l.at.Wanted) - 1; last >= 0 && t.want <= l.at.Wanted[last].End {
			l.at.Wanted[last].End = t.want + 1
		} else {
			l.at.Wanted = append(l.at.Wanted, codec.Range{Start: t.want, End: t.want + 1})
		}
	}
}

// gatherAges finds the timestamps of the records at the first gaps that the
// logs still hold. A gap at which there is no record that a consumer could get
// gives way to the first record after it that is in a gap. Equal positions are
// read once, whichever groups they are of. What can not be found stays zero;
// notices say why, where it is not for want of records.
func gatherAges(ctx context.Context, store *gapstore.Store, topics map[string]*gapstore.Topic, groups []Group) []string {
	byLeader := map[int32][]*ageLog{}
	for _, log := range ageLogs(topics, groups) {
		byLeader[log.leader] = append(byLeader[log.leader], log)
	}
	var notices []string
	var mu sync.Mutex
	var work sync.WaitGroup
	for leader, logs := range byLeader {
		work.Go(func() {
			notice := readAges(ctx, store, leader, logs)
			mu.Lock()
			defer mu.Unlock()
			if notice != "" && !slices.Contains(notices, notice) {
				notices = append(notices, notice)
			}
		})
	}
	work.Wait()
	slices.Sort(notices)
	return notices
}

// ageLogs are the logs to read, sorted, each with its targets.
func ageLogs(topics map[string]*gapstore.Topic, groups []Group) []*ageLog {
	byPlace := map[string][]*ageLog{} // by topic and partition
	var logs []*ageLog
	eachTopic(groups, func(name string, partitions []Partition) {
		topic := topics[name]
		if byPlace[name] == nil {
			byPlace[name] = make([]*ageLog, len(topic.Logs))
		}
		places := byPlace[name]
		for i := range partitions {
			p := &partitions[i]
			if p.heldGap == unknown {
				continue
			}
			l := places[p.Partition]
			if l == nil {
				l = &ageLog{leader: topic.Logs[p.Partition].Leader, end: p.LastStable}
				l.at = gapstore.Position{Topic: name, ID: topic.ID, Partition: p.Partition}
				places[p.Partition] = l
				logs = append(logs, l)
			}
			l.wait = append(l.wait, ageTarget{p, p.heldGap})
		}
	})
	slices.SortFunc(logs, func(a, b *ageLog) int {
		return cmp.Or(cmp.Compare(a.at.Topic, b.at.Topic), cmp.Compare(a.at.Partition, b.at.Partition))
	})
	return logs
}

// firstGap is the first offset of gaps in bounds; unknown when there is none.
func firstGap(gaps codec.Ranges, bounds codec.Range) int64 {
	if all := gaps.Bounds(); !all.Empty() && bounds.Contains(all.Start) {
		return all.Start
	}
	for r := range gaps.All() {
		if c := r.Clip(bounds); !c.Empty() {
			return c.Start
		}
		if r.Start >= bounds.End {
			break
		}
	}
	return unknown
}

// readAges reads the logs that one broker leads.
func readAges(ctx context.Context, store *gapstore.Store, leader int32, logs []*ageLog) (notice string) {
	rounds := ageRounds + len(logs)/ageLogsPerRound
	room := int32(ageBytesFirst)
	for round := 0; len(logs) > 0; round++ {
		if round == rounds {
			return fmt.Sprintf("the age of the oldest gap is not known for %s: there are too many to read; ask for fewer groups", Plural(waiting(logs), "partition"))
		}
		part := logs[:min(len(logs), ageLogsPerFetch)]
		positions := make([]gapstore.Position, len(part))
		inParallel(len(part), func(i int) {
			part[i].ask()
			positions[i] = part[i].at
		})
		got := make([]gapstore.Fetched, len(part))
		err := store.FetchEach(ctx, leader, positions, gapstore.FetchLimit{Partition: room, Response: ageBytesInAll}, func(i int, f gapstore.Fetched) {
			if f.Err == nil && f.Next > positions[i].Offset {
				part[i].take(&f)
			}
			got[i] = gapstore.Fetched{Next: f.Next, Err: f.Err}
		})
		if err != nil {
			return fmt.Sprintf("the age of the oldest gap is not known for %s: %v", Plural(waiting(logs), "partition"), err)
		}
		var starved, served []*ageLog
		for i, log := range part {
			switch {
			case got[i].Err != nil:
				if errors.Is(got[i].Err, gapstore.ErrDenied) {
					notice = fmt.Sprintf("the age of the oldest gap is not known where records may not be read: %v", got[i].Err)
				}
			case got[i].Next <= log.at.Offset && i == 0:
				// First of all and still nothing: there is nothing.
			case got[i].Next <= log.at.Offset:
				starved = append(starved, log)
			case len(log.wait) > 0:
				served = append(served, log)
			}
		}
		if len(starved) > 0 {
			room = min(8*room, ageBytesMost)
		}
		logs = slices.Concat(starved, logs[len(part):], served)
	}
	return notice
}

func waiting(logs []*ageLog) int {
	n := 0
	for _, log := range logs {
		n += len(log.wait)
	}
	return n
}

// take gives the waiting targets their records out of those before f.Next, and
// lets go of targets that can get none any more.
func (l *ageLog) take(f *gapstore.Fetched) {
	still, records := l.wait[:0], f.Records
	for _, t := range l.wait {
		if t.want >= f.Next {
			still = append(still, t)
			continue
		}
		for len(records) > 0 && records[0].Offset < t.want {
			records = records[1:]
		}
		if record, ok := t.record(records, f.Thinned); ok {
			t.p.OldestGapAt = record.Timestamp.UTC()
			continue
		}
		if f.Thinned {
			l.whole = true
			still = append(still, t)
			continue
		}
		if t.want = firstGap(t.p.State.Gaps, codec.Range{Start: f.Next, End: l.end}); t.want != unknown {
			still = append(still, t)
		}
	}
	l.wait = still
}

// record is the first of the records, all from the wanted one on, in a gap. Of
// records that were thinned it is only the one wanted, as one before it that is
// in the gap too may have been left out.
func (t *ageTarget) record(records []*kgo.Record, thinned bool) (*kgo.Record, bool) {
	for _, record := range records {
		switch {
		case thinned:
			return record, record.Offset == t.want
		case t.p.State.Gaps.Contains(record.Offset):
			return record, true
		}
	}
	return nil, false
}
