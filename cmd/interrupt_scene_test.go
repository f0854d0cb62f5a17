package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/internal/lab"
)

// wiredScene is groups with gaps on a broker of which every request can be held
// back.
type wiredScene struct {
	*brokerScene
	wire *wire
}

func newWiredScene(t *testing.T) wiredScene { return newMangledScene(t, new(wire)) }

func newMangledScene(t *testing.T, w *wire) wiredScene {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(w.listen))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	s.topic("orders", sceneRecords)
	s.topic("retry", 0)
	s.gapCommit("billing", "orders")
	return wiredScene{s, w}
}

// newSharedScene has a share group besides, on a broker that knows its state.
func newSharedScene(t *testing.T) wiredScene {
	t.Helper()
	w := &wire{aside: lab.ClientID}
	l, err := lab.Start(t.Context(), lab.Options{Empty: true, Listen: w.listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := newBrokerScene(t, l.Addr())
	s.topic("orders", sceneRecords)
	s.topic("retry", 0)
	s.gapCommit("billing", "orders")
	s.shareGroup("shipping", "orders")
	return wiredScene{s, w}
}

// interruptedAt runs a command and interrupts it when its nth request, from 1, is
// on its way; it made fewer if hit is false. A stuck request does not arrive
// before the command has ended.
func (s wiredScene) interruptedAt(line string, n int64, stuck bool) (got reply, hit bool) {
	s.t.Helper()
	ctx, interrupt := context.WithCancelCause(s.t.Context())
	defer interrupt(nil)
	ended := make(chan struct{})
	var requests atomic.Int64
	s.wire.set(func() {
		if requests.Add(1) != n {
			return
		}
		interrupt(errInterrupted)
		if stuck {
			<-ended
		}
	})
	defer s.wire.set(nil)
	finished := time.AfterFunc(time.Minute, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%q does not end, interrupted at request %d", line, n))
	})
	defer finished.Stop()
	code, out, errs := runWith(ctx, s.env(), strings.Fields(strings.ReplaceAll(line, "DIR", s.dir))...)
	close(ended)
	s.t.Logf("%d requests", requests.Load())
	return reply{code, out, errs}, requests.Load() >= n
}

func (s wiredScene) env() map[string]string {
	return map[string]string{"GAPCTL_BOOTSTRAP_SERVER": s.addr, "XDG_STATE_HOME": s.dir, "GAPCTL_CONFIG": filepath.Join(s.dir, "config.yaml")}
}

// stands is what a group has in each partition, and what of its records was
// copied there.
func (s wiredScene) stands(group string) (all [scenePartitions]string) {
	s.t.Helper()
	var doc struct {
		Groups []struct {
			Partitions []struct {
				Partition                    int32
				Committed, Stable, Max, Size *int64
				Gaps                         json.RawMessage
				Format, Encoding             *string
			}
		}
	}
	got := s.run("describe " + group + " -o json")
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil && !strings.Contains(got.errs, "no group "+group) {
		s.t.Fatal(err)
	}
	copies := s.copies("retry")
	for i := range all {
		all[i] = fmt.Sprint(copies[i], " copies")
	}
	for _, g := range doc.Groups {
		for _, p := range g.Partitions {
			of := p.Partition
			p.Partition = 0
			text, err := json.Marshal(p)
			if err != nil {
				s.t.Fatal(err)
			}
			all[of] += string(text)
		}
	}
	return all
}

// copies counts the records of each partition that a read-committed consumer
// gets.
func (s wiredScene) copies(topic string) (n [scenePartitions]int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	ends, err := kadm.NewClient(s.client()).ListCommittedOffsets(ctx, topic)
	if err != nil {
		s.t.Fatal(err)
	}
	left := map[int32]int64{}
	ends.Each(func(o kadm.ListedOffset) {
		if o.Offset > 0 {
			left[o.Partition] = o.Offset
		}
	})
	client := s.client(kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			s.t.Fatalf("%s up to %v: %v", topic, left, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if !r.Attrs.IsControl() {
				n[r.Partition]++
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	return n
}

// free fails unless a group has no member.
func (s wiredScene) free(group string) {
	s.t.Helper()
	described := s.run("list --all -o json")
	var doc struct {
		Groups []struct {
			Group   string
			Members int
		}
	}
	if err := json.Unmarshal([]byte(described.out), &doc); err != nil {
		s.t.Fatal(err)
	}
	for _, g := range doc.Groups {
		if g.Group == group && g.Members > 0 {
			s.t.Errorf("group %s has %d members", group, g.Members)
		}
	}
}
