package gapstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// scene is a group with a commit, and an empty topic for records, on a fake or
// a real broker. A repair of it goes from one whole state to another.
type scene struct {
	t          testing.TB
	addrs      []string
	group      string
	topic, out string
	records    int // of the new state; 0 makes plain commits
	timing     timing
	dying      timing // of those that are to die
	opts       []kgo.Opt
}

const oldOffset, newOffset = 10, 20

func fakeScene(t testing.TB, set setting) (*scene, *kfake.Cluster) {
	t.Helper()
	c := fakeCluster(t, "orders", "copies")
	s := &scene{t: t, addrs: c.ListenAddrs(), group: "billing", topic: "orders", out: "copies", records: set.records,
		timing: timing{session: 10 * time.Second, heartbeat: 100 * time.Millisecond, rebalance: 20 * time.Second,
			parting: 10 * time.Second, grace: 10 * time.Second, look: lookTimeout},
		dying: hasty(), opts: quickRetries()}
	if set.speaks != nil {
		s.opts = append(s.opts, kgo.MaxVersions(set.speaks))
	}
	s.prepare()
	return s, c
}

// hasty is for those that are to die: a group waits for them no longer than it
// must, and they don't try for long to end what they can't.
func hasty() timing {
	return timing{session: time.Second, heartbeat: 100 * time.Millisecond, rebalance: 5 * time.Second,
		parting: time.Second, grace: 10 * time.Second, look: lookTimeout}
}

// prepare makes the old state.
func (s *scene) prepare() {
	s.t.Helper()
	offsets := kadm.Offsets{}
	for p := range int32(2) {
		offsets.Add(kadm.Offset{Topic: s.topic, Partition: p, At: oldOffset, LeaderEpoch: -1, Metadata: "old"})
	}
	if err := kadm.NewClient(s.client()).CommitAllOffsets(s.t.Context(), s.group, offsets); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) client(opts ...kgo.Opt) *kgo.Client {
	s.t.Helper()
	cl, err := s.dial(opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(cl.Close)
	return cl
}

// quickRetries keeps tests with many faults short.
func quickRetries() []kgo.Opt {
	return []kgo.Opt{kgo.RequestRetries(5), kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond })}
}

func (s *scene) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	return kgo.NewClient(slices.Concat([]kgo.Opt{kgo.SeedBrokers(s.addrs...)}, s.opts, extra)...)
}

func (s *scene) parts() map[string][]int32 { return map[string][]int32{s.topic: {0, 1}} }

func (s *scene) offsets(at int64, metadata string) []OffsetCommit {
	var all []OffsetCommit
	for p := range int32(2) {
		all = append(all, OffsetCommit{Topic: s.topic, Partition: p, Offset: at, LeaderEpoch: -1, Metadata: metadata})
	}
	return all
}

func (s *scene) before() []OffsetCommit { return s.offsets(oldOffset, "old") }

func (s *scene) change() Commit {
	c := Commit{Offsets: s.offsets(newOffset, "new")}
	for i := range s.records {
		c.Records = append(c.Records, &kgo.Record{Topic: s.out, Partition: int32(i % 2), Value: fmt.Appendf(nil, "copy %d", i)})
	}
	return c
}

func (s *scene) tryAcquire(ctx context.Context, dial Dial) (*Hold, error) {
	return acquire(ctx, dial, &member{group: s.group, parts: sortedParts(s.parts()), timing: s.timing})
}

// acquire takes a hold that the test releases at the latest.
func (s *scene) acquire(dial Dial) *Hold {
	s.t.Helper()
	h, err := s.tryAcquire(s.t.Context(), dial)
	return s.kept(h, err)
}

// kept insists on a hold, and releases it at the end of the test.
func (s *scene) kept(h *Hold, err error) *Hold {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = h.Release(context.Background()) })
	return h
}

// repair is what a caller does with a hold, from beginning to end.
func (s *scene) repair(ctx context.Context, dial Dial) error {
	h, err := s.tryAcquire(ctx, dial)
	if err != nil {
		return err
	}
	defer func() {
		if err := h.Release(ctx); err != nil {
			s.t.Logf("release: %v", err)
		}
	}()
	if err := h.Check(ctx, s.before()); err != nil {
		return err
	}
	if err := h.Commit(ctx, s.change()); err != nil {
		return err
	}
	_, err = h.Fetch(ctx) // an error here leaves no doubt about the commit
	if err != nil {
		s.t.Logf("read back: %v", err)
	}
	return nil
}

// finish repairs again and again, as an operator would, until the new state
// stands.
func (s *scene) finish() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	for {
		err := s.repair(ctx, s.dial)
		conflict, ok := errors.AsType[*ConflictError](err)
		if err == nil || ok && conflict.Got.Offset == newOffset {
			return
		}
		if ctx.Err() != nil || !errors.Is(err, ErrGroupActive) && !errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrLost) {
			s.t.Fatalf("retry: %v", err)
		}
		time.Sleep(50 * time.Millisecond) // a pause between tries, not a wait for something
	}
}

// settle is what an operator does who doesn't know what stands: a new hold reads
// it, and so ends what was left open.
func (s *scene) settle() {
	s.t.Helper()
	var h *Hold
	awaitEnd(s.t, "a new hold", func() (ok bool) {
		var err error
		h, err = s.tryAcquire(s.t.Context(), s.dial)
		return err == nil
	})
	if _, err := h.Fetch(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	if err := h.Release(s.t.Context()); err != nil {
		s.t.Error(err)
	}
}

// state is what everybody can see.
type state struct {
	Offsets  []int64
	Metadata []string
	Records  []string // read-committed, of both partitions
}

func (s *scene) whole(offset int64, metadata string, records int) state {
	w := state{Offsets: []int64{offset, offset}, Metadata: []string{metadata, metadata}}
	for p := range 2 {
		for i := p; i < records; i += 2 {
			w.Records = append(w.Records, fmt.Sprintf("copy %d", i))
		}
	}
	return w
}

func (s *scene) oldState() state { return s.whole(oldOffset, "old", 0) }
func (s *scene) newState() state { return s.whole(newOffset, "new", s.records) }

// see reads the state once no transaction is pending.
func (s *scene) see() state {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	admin := kadm.NewClient(s.client())
	now := state{Offsets: make([]int64, 2), Metadata: make([]string, 2)}
	awaitEnd(s.t, "the transactions to end", func() bool {
		fetched, err := admin.FetchOffsets(kadm.RequireStable(ctx), s.group)
		if err != nil {
			s.t.Fatal(err)
		}
		for p := range int32(2) {
			o, _ := fetched.Lookup(s.topic, p)
			if o.Err != nil {
				return false
			}
			now.Offsets[p], now.Metadata[p] = o.At, o.Metadata
		}
		return true
	})
	now.Records = s.visible(ctx)
	return now
}

// visible are the records that a reader of committed records gets.
func (s *scene) visible(ctx context.Context) []string {
	s.t.Helper()
	store, err := Open(ctx, s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	meta, err := kadm.NewClient(s.client()).Metadata(ctx, s.out)
	if err != nil {
		s.t.Fatal(err)
	}
	var values []string
	for p := range int32(2) {
		at := Position{Topic: s.out, ID: meta.Topics[s.out].ID, Partition: p}
		for {
			got, err := store.Fetch(ctx, meta.Topics[s.out].Partitions[p].Leader, []Position{at}, FetchLimit{1 << 20, 1 << 20})
			if err != nil || got[0].Err != nil {
				s.t.Fatal(err, got)
			}
			for _, r := range got[0].Records {
				values = append(values, string(r.Value))
			}
			if got[0].Next == at.Offset {
				break
			}
			at.Offset = got[0].Next
		}
	}
	return values
}

// mustBeEnded fails the test if readers of committed records are held up.
func (s *scene) mustBeEnded() {
	s.t.Helper()
	admin := kadm.NewClient(s.client())
	awaitEnd(s.t, "readers to get past the transaction", func() bool {
		stable, err := admin.ListCommittedOffsets(s.t.Context(), s.out)
		if err != nil {
			s.t.Fatal(err)
		}
		end, err := admin.ListEndOffsets(s.t.Context(), s.out)
		if err != nil {
			s.t.Fatal(err)
		}
		return reflect.DeepEqual(stable.KOffsets(), end.KOffsets())
	})
}

// mustSee fails the test unless one of the states stands, whole.
func (s *scene) mustSee(want ...state) state {
	s.t.Helper()
	now := s.see()
	for _, w := range want {
		if reflect.DeepEqual(now, w) {
			return now
		}
	}
	s.t.Fatalf("state is %+v, want one of %+v", now, want)
	return now
}
