package gapstore

import (
	"context"
	"fmt"
	"time"
)

const (
	// finishGrace is how long a commit may still take once somebody else has
	// come for the group. It is well below the rebalance timeout, so that the hold
	// leaves before the coordinator throws it out.
	finishGrace = 10 * time.Second
	// lookTimeout bounds the question who has arrived; making room matters more.
	lookTimeout = 3 * time.Second
)

// Lost is closed once the hold has lost the group; [Hold.Err] then says why.
// Being lost leaves nothing half done: a commit under way is made or not made.
func (h *Hold) Lost() <-chan struct{} { return h.lost }

// Err is nil until the hold is lost, and then an [*Error] of class [ErrLost]
// or [ErrFenced].
func (h *Hold) Err() error {
	select {
	case <-h.lost:
		return h.lostErr
	default:
		return nil
	}
}

// beat sends heartbeats until ctx ends. It goes on after the hold is lost: as
// long as a commit is under way, the coordinator must know that somebody lives.
func (h *Hold) beat(ctx context.Context) {
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
		case ctx.Err() != nil:
			return
		case isGone(err):
			h.lose(err)
		case time.Since(answered) > h.member.timing.session:
			h.lose(fmt.Errorf("no heartbeat answered for %v: %w", h.member.timing.session, err))
		}
	}
}

// lose marks the hold as lost; cause is the coordinator's answer.
func (h *Hold) lose(cause error) {
	h.losing.Do(func() {
		class := ErrLost
		if isFenced(cause) {
			class = ErrFenced
		} else if isGone(cause) {
			cause = h.whoCame(cause)
		}
		h.lostErr = &Error{Class: class, Op: "hold group " + h.member.group, Err: fmt.Errorf("%w: %w", class, cause)}
		close(h.lost)
	})
}

// makeRoom leaves the group once the hold is lost and nothing is under way.
func (h *Hold) makeRoom(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-h.lost:
	}
	select {
	case h.turn <- struct{}{}:
	case <-time.After(finishGrace):
		h.giveUp()
		h.turn <- struct{}{}
	}
	h.leave(context.Background())
	<-h.turn
	h.stop() // no more heartbeats
}

// whoCame adds the members that arrived to the coordinator's answer err.
func (h *Hold) whoCame(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	there, lookErr := look(ctx, h.cl, h.versions, h.member.group)
	if lookErr != nil {
		return err
	}
	if active := there.active(h.member.group, h.member.id); active != nil {
		return fmt.Errorf("%w (%w)", active, err)
	}
	return err
}
