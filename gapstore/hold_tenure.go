package gapstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// lookTimeout bounds a question whose answer only makes an error plainer.
const lookTimeout = 3 * time.Second

// tenure is the time of a hold in one generation of its group.
type tenure struct {
	losing sync.Once
	lost   chan struct{}
	err    error // set before lost is closed

	work   context.Context // ends when a commit must not go on
	giveUp context.CancelFunc
	stop   context.CancelFunc // ends the goroutines
	tasks  sync.WaitGroup
}

// begin begins a tenure: the hold has joined.
func (h *Hold) begin() {
	h.moves.note()
	t := &tenure{lost: make(chan struct{})}
	t.work, t.giveUp = context.WithCancel(context.Background())
	beating, stop := context.WithCancel(context.Background())
	t.stop = stop
	h.tenure.Store(t)
	t.tasks.Go(func() { h.beat(beating, t) })
	t.tasks.Go(func() { h.makeRoom(beating, t) })
}

// end stops the heartbeats, and waits until nothing of the tenure runs.
func (t *tenure) end() {
	t.stop()
	t.tasks.Wait()
	t.giveUp()
}

// Lost is closed once the hold has lost the group; [Hold.Err] then says why.
// Being lost leaves nothing half done: a commit under way is made or not made.
func (h *Hold) Lost() <-chan struct{} { return h.tenure.Load().lost }

// Err is nil until the hold is lost, and then an [*Error] of class [ErrLost]
// or [ErrFenced]. A hold that is shared may also have lost no more than its
// share, with class [ErrReshared]; then it can [Hold.Rejoin].
func (h *Hold) Err() error {
	t := h.tenure.Load()
	select {
	case <-t.lost:
		return t.err
	default:
		return nil
	}
}

// beat sends heartbeats until ctx ends. It goes on after the hold is lost: as
// long as a commit is under way, the coordinator must know that somebody lives.
func (h *Hold) beat(ctx context.Context, t *tenure) {
	ticker := time.NewTicker(h.member.timing.heartbeat)
	defer ticker.Stop()
	answered := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		beat, cancel := context.WithTimeout(ctx, h.member.timing.session)
		err := h.member.heartbeat(beat)
		cancel()
		switch {
		case err == nil:
			answered = time.Now()
			if h.moves.moved() {
				h.settleIn(ctx, t)
			}
		case ctx.Err() != nil:
			return
		case isGone(err):
			h.lose(t, err)
		case time.Since(answered) > h.member.timing.session:
			h.lose(t, fmt.Errorf("no heartbeat answered for %v: %w", h.member.timing.session, err))
		}
	}
}

// lose marks the hold as lost; cause is the coordinator's answer.
func (h *Hold) lose(t *tenure, cause error) {
	t.losing.Do(func() {
		class := ErrLost
		if isFenced(cause) {
			class = ErrFenced
		} else if isGone(cause) {
			cause = h.whoCame(cause)
		}
		if h.team != nil && !errors.Is(cause, ErrGroupActive) {
			class = ErrReshared
		}
		t.err = h.lostBy(class, cause)
		close(t.lost)
	})
}

func (h *Hold) lostBy(class, cause error) error {
	return &Error{Class: class, Op: "hold group " + h.member.group, Err: fmt.Errorf("%w: %w", class, cause)}
}

// makeRoom leaves the group once the hold is lost and nothing is under way.
// Who has only lost a share stays, and ends what takes too long.
func (h *Hold) makeRoom(ctx context.Context, t *tenure) {
	select {
	case <-ctx.Done():
		return
	case <-t.lost:
	}
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return // whoever has the turn leaves, or joins again
	case <-time.After(h.member.timing.grace):
		t.giveUp()
		select {
		case h.turn <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
	if !errors.Is(t.err, ErrReshared) {
		h.leave(context.Background())
		t.stop() // no more heartbeats
	}
	<-h.turn
}

// whoCame adds the members that arrived to the coordinator's answer err.
func (h *Hold) whoCame(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), h.member.timing.look)
	defer cancel()
	there, lookErr := look(ctx, h.cl, h.versions, h.member.group)
	if lookErr != nil {
		return err
	}
	if active := h.keptOutBy(there); active != nil {
		return fmt.Errorf("%w (%w)", active, err)
	}
	return err
}
