package gapstore

import (
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// tracked is one partition of a live consumer, or its share of one: what is
// done, and what of that is not committed yet. It is safe for concurrent use.
type tracked struct {
	place
	id      codec.NativeID // with the slot that it writes
	share   share
	sharing Sharing
	// known is what was done already when a member that is not the keeper came;
	// nil for a keeper, whose set says all.
	known *codec.GapSet
	// movedBack: somebody had moved Kafka's offset back.
	movedBack bool

	mu  sync.Mutex
	set *codec.GapSet // what the slot says, or is to say
	// next is one past the last offset that the log has given; NoOffset until
	// it gives the first record, where no commit says where to begin.
	next    int64
	changed bool // since the last commit
	epochs  []epochStart
	hand    int // records delivered that are neither done nor released
	// departed are tombstones for slots of members that are no more, whose
	// commits are in set.
	departed []codec.Record
	results  results // of what is done, since the last commit

	backlog *backlog // of it and its retry partition; nil without one
}

// epochStart is the first offset that was read with a leader epoch.
type epochStart struct {
	offset int64
	epoch  int32
}

// newTracked is a partition that is read from start on.
func newTracked(at place, id codec.NativeID, set *codec.GapSet, start kgo.EpochOffset) *tracked {
	t := &tracked{place: at, id: id, share: whole(at), set: set, next: max(NoOffset, start.Offset)}
	if start.Offset >= 0 && start.Epoch >= 0 {
		t.epochs = []epochStart{{start.Offset, start.Epoch}}
	}
	return t
}

// deliver takes note of the next record of the log, and reports whether it is
// to be processed: then it is in hand from now on.
func (t *tracked) deliver(r *kgo.Record) bool {
	if !t.see(r) {
		return false
	}
	t.handOut()
	return true
}

// see takes note of the next record of the log, and reports whether it is to be
// processed. Offsets that the log passes over hold no record for anybody
// (transaction markers, aborted, compacted or removed by retention): they are
// done, or they would stay gaps for ever. So are markers that the log gives.
func (t *tracked) see(r *kgo.Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	passed := codec.Range{Start: max(0, t.next), End: r.Offset}
	if r.Attrs.IsControl() {
		passed.End++
	}
	if !passed.Empty() && t.share.keeper {
		t.set.Done(passed)
		t.changed = t.changed || t.next >= 0
	}
	t.next = max(t.next, r.Offset+1)
	if n := len(t.epochs); r.LeaderEpoch >= 0 && (n == 0 || t.epochs[n-1].epoch < r.LeaderEpoch) {
		t.epochs = append(t.epochs, epochStart{r.Offset, r.LeaderEpoch})
	}
	return !r.Attrs.IsControl() && t.open(r)
}

// open reports whether r is this member's to process, and not done.
func (t *tracked) open(r *kgo.Record) bool {
	return !t.set.Completed(r.Offset) && (t.known == nil || !t.known.Completed(r.Offset)) && t.share.has(t.sharing, r)
}

// handOut takes note that one more record is in hand.
func (t *tracked) handOut() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hand++
}

// done marks records as done. One that is done already changes nothing.
func (t *tracked) done(records ...*kgo.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.count()
	for _, r := range records {
		t.set.Done(codec.Range{Start: r.Offset, End: r.Offset + 1})
	}
	if n := t.count() - before; n > 0 {
		t.changed = true
		t.hand = max(0, t.hand-int(n))
	}
}

// count is the number of offsets that are done.
func (t *tracked) count() int64 { return t.set.Max() - t.set.Outstanding() }

// release takes a record out of the hand.
func (t *tracked) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hand = max(0, t.hand-1)
}

func (t *tracked) inHand() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hand
}

// absorb takes in what another member has committed.
func (t *tracked) absorb(s *codec.NativeSlot) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.count()
	err := t.set.Absorb(s)
	t.changed = t.changed || t.count() != before
	return err
}

// pass takes all below offset for done, which is committed. That alone is not
// worth a commit.
func (t *tracked) pass(offset int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set.Done(codec.Range{End: offset})
}

// span is over how many offsets what is written reaches.
func (t *tracked) span() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.set.Max() - t.set.Stable()
}

// epochBefore is the leader epoch of the record before offset; -1: not known.
func (t *tracked) epochBefore(offset int64) int32 {
	epoch := int32(-1)
	for _, e := range t.epochs {
		if e.offset < offset || e.offset == t.epochs[0].offset {
			epoch = e.epoch
		}
	}
	return epoch
}
