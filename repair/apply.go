package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// Applier applies plans to one cluster. It is the only thing that writes.
type Applier struct {
	Dial    gapstore.Dial
	Journal Journal
	Now     func() time.Time
	// Streams are for a [Replay] that goes to no topic.
	Streams Streams
	// Progress, unless nil, is told how many records a [Replay] has delivered,
	// after each commit; one that is Together counts in what others have.
	Progress func(delivered int64)
	// Notice, unless nil, is told what a [Replay] that is Together comes to: its
	// share, and that it waits.
	Notice func(text string)
	// Settle bounds what is done after the commits, or after the caller's
	// context has ended: reading back, and leaving the group; 0: 30 seconds.
	Settle time.Duration
}

const settleTimeout = 30 * time.Second

// settling is how long what is done after the commits may take.
func (a Applier) settling() time.Duration { return cmp.Or(a.Settle, settleTimeout) }

// Apply carries out p. Nothing is written unless the approval is for p, the
// intent is in the journal, cluster and group are those of the plan, the group
// has no members, and everything that would change still is what the plan saw.
// What already is what the plan wants is left as it is, so that a plan may be
// applied again.
//
// The result has an outcome for every partition of the plan, also when nothing
// could be tried. Cancelling ctx stops before the next commit; what was sent is
// settled all the same.
//
// A [Replay] that is Together is the exception: the group may be held by other
// processes that do the same, and what they do is no conflict. Each process
// gets a share of the partitions, reads anew what stands there, and delivers
// what is left; when one comes, leaves or dies, they are shared out again. It
// ends when nothing of the plan is outstanding any more.
func (a Applier) Apply(ctx context.Context, p Plan, approval Approval) Result {
	digest := p.Digest()
	result := newResult(p, digest)
	if err := approval.use(digest); err != nil {
		result.Err = fmt.Errorf("%w: %w", ErrRefused, err)
		return *result
	}
	if p.Empty() {
		return *result
	}
	entry, err := a.Journal.begin(p, approval, a.Now())
	if err != nil {
		result.Err = err
		return *result
	}
	result.ID = entry.id
	s := session{applier: a, plan: p, result: result, entry: entry}
	result.Err = s.run(ctx)
	err = entry.note(outcomeKind, a.Now(), result.Outcomes, result.Err)
	result.Err = errors.Join(result.Err, err, entry.file.Close())
	return *result
}

// session is one plan being applied.
type session struct {
	applier Applier
	plan    Plan
	result  *Result
	entry   *entryFile // of the journal
	hold    *gapstore.Hold
	home    *gapstore.NativeHome // nil until it is needed
}

// run is everything between intent and outcome.
func (s *session) run(ctx context.Context) error {
	if err := s.checkCluster(ctx); err != nil {
		return s.refuse(err)
	}
	if op, ok := s.plan.Op.(shareOp); ok { // the broker guards these itself
		return op.run(ctx, s, s.plan.Changes)
	}
	if op, ok := s.plan.Op.(Replay); ok && op.Together {
		return s.replayTogether(ctx, op)
	}
	if err := s.acquire(ctx); err != nil {
		return s.refuse(err)
	}
	defer s.release(ctx)
	todo, err := s.compare(ctx)
	if err != nil {
		return s.refuse(err)
	}
	if len(todo) == 0 {
		return nil
	}
	op, replays := s.plan.Op.(Replay)
	staged, err := s.stage(ctx, todo)
	if err == nil && (len(staged.Records) > 0 || op.ToTopic != "") {
		err = s.hold.Transacts()
	}
	if err != nil { // before anything is written
		return s.refuse(err)
	}
	if replays {
		return s.replay(ctx, op, todo)
	}
	return s.write(ctx, todo)
}

// ErrOtherCluster is the class of a plan that was made for another cluster.
var ErrOtherCluster = fmt.Errorf("%w: the plan is for another cluster", ErrRefused)

// key names a partition of the group.
func (s *session) key(t Target) gapstore.Key {
	return gapstore.Key{Group: s.plan.Group, Topic: t.Topic, Partition: t.Partition}
}

// checkCluster is nil when this is the cluster that the plan is for.
func (s *session) checkCluster(ctx context.Context) error {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return err
	}
	defer store.Close()
	if here := store.ClusterID(); here != s.plan.ClusterID {
		return fmt.Errorf("%w: for %q, and this is %q", ErrOtherCluster, s.plan.ClusterID, here)
	}
	return nil
}

// refuse gives every change a status before anything was tried.
func (s *session) refuse(err error) error {
	if errors.Is(err, gapstore.ErrGroupActive) || errors.Is(err, gapstore.ErrUnfit) || errors.Is(err, gapstore.ErrTooLarge) ||
		errors.Is(err, gapstore.ErrUnsupported) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if errors.Is(err, ErrRefused) {
		s.result.setAll(s.plan.Changes, Refused, err)
	}
	return err
}

func (s *session) acquire(ctx context.Context) error {
	hold, err := gapstore.Acquire(ctx, s.applier.Dial, s.plan.Group, s.plan.parts())
	switch {
	case err == nil:
		s.hold = hold
	case errors.Is(err, gapstore.ErrGroupActive), errors.Is(err, gapstore.ErrUnavailable), errors.Is(err, gapstore.ErrDenied):
	default:
		if other := s.otherGroup(ctx); other != nil {
			return other
		}
	}
	return err
}

// otherGroup is nil, or says that the name is that of a share group now, which
// consumers can not join: brokers tell that in several ways, and none is clear.
func (s *session) otherGroup(ctx context.Context) error {
	store, err := gapstore.Open(ctx, s.applier.Dial)
	if err != nil {
		return nil
	}
	defer store.Close()
	if _, err := s.gatherShare(ctx, store); err != nil {
		return nil
	}
	return fmt.Errorf("%w: %s is a share group now", gapstore.ErrConflict, s.plan.Group)
}

// release leaves the group. An error changes nothing of what was done: the
// group is free once the session of the member has timed out.
func (s *session) release(ctx context.Context) error {
	if s.hold == nil {
		return nil
	}
	hold := s.hold
	s.hold = nil
	return hold.Release(ctx)
}

// compare reads what stands, under the hold, and returns the changes to make.
// Where anything is neither what the plan saw nor what it wants, it is a
// conflict, and there is nothing to make.
func (s *session) compare(ctx context.Context) ([]Change, error) {
	current, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	var todo []Change
	var conflict error
	for _, c := range s.plan.Changes {
		key := s.key(c.Target())
		now, want := current[key], c.Before.onBroker(c)
		switch {
		case now == want:
			todo = append(todo, c)
		case now == c.After.onBroker(c):
			s.result.set(c.Target(), Unchanged, nil)
		default:
			err := want.conflict(key, now)
			s.result.set(c.Target(), Conflict, err)
			if conflict == nil {
				conflict = err
			}
		}
	}
	return todo, conflict
}

func (c Change) before() gapstore.OffsetCommit { return c.Before.onWire(c.Target(), c.TopicID) }

func (c Change) after() gapstore.OffsetCommit { return c.After.onWire(c.Target(), c.TopicID) }
