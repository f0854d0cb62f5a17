package repair

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

func TestMain(m *testing.M) { kafkatest.Main(m) }

// scene is a group with gaps on two partitions of a broker, and a journal.
type scene struct {
	t       testing.TB
	cluster *kfake.Cluster // nil on a real broker
	addrs   []string
	journal Journal
}

const sceneGroup, sceneTopic = "billing", "orders"

// fakeScene is a scene on an embedded broker.
func fakeScene(t testing.TB) *scene {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, sceneTopic))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := &scene{t: t, cluster: c, addrs: c.ListenAddrs(), journal: Journal{Dir: filepath.Join(t.TempDir(), "journal")}}
	cl := s.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	var records []*kgo.Record
	for i := range int32(100) {
		records = append(records, &kgo.Record{Topic: sceneTopic, Partition: i % 2})
	}
	if err := cl.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	s.commit(0, "3-5,9", 20)
	s.commit(1, "7,11-12", 30)
	return s
}

func (s *scene) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(s.addrs...), kgo.RequestRetries(3), kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond })}
	return kgo.NewClient(append(opts, extra...)...)
}

func (s *scene) client(extra ...kgo.Opt) *kgo.Client {
	s.t.Helper()
	cl, err := s.dial(extra...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(cl.Close)
	return cl
}

// commit commits all below end but gaps, as Parallel Consumer does.
func (s *scene) commit(partition int32, gaps string, end int64) {
	s.t.Helper()
	ranges, err := codec.ParseRanges(gaps)
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := codec.Encode(codec.State{Stable: ranges.First().Start, Max: end, Gaps: ranges}, parallelConsumer, "")
	if err != nil {
		s.t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: sceneTopic, Partition: partition, At: out.Committed, LeaderEpoch: -1, Metadata: out.Metadata})
	if err := kadm.NewClient(s.client()).CommitAllOffsets(s.t.Context(), sceneGroup, offsets); err != nil {
		s.t.Fatal(err)
	}
}

// stands is the commits of the group, byte for byte.
func (s *scene) stands() [2]gapstore.OffsetCommit {
	s.t.Helper()
	fetched, err := kadm.NewClient(s.client()).FetchOffsets(s.t.Context(), sceneGroup)
	if err != nil {
		s.t.Fatal(err)
	}
	var all [2]gapstore.OffsetCommit
	for p := range int32(2) {
		o, ok := fetched.Lookup(sceneTopic, p)
		if !ok {
			o.At, o.LeaderEpoch = gapstore.NoOffset, -1
		}
		all[p] = gapstore.OffsetCommit{Topic: sceneTopic, Partition: p, Offset: o.At, LeaderEpoch: o.LeaderEpoch, Metadata: o.Metadata}
	}
	return all
}

// plan gathers and plans.
func (s *scene) plan(op Op) Plan {
	s.t.Helper()
	return s.planOf(op, func(*gapstore.Store, *inspect.Group) {})
}

// planOf is plan, after the group has been changed.
func (s *scene) planOf(op Op, change func(*gapstore.Store, *inspect.Group)) Plan {
	s.t.Helper()
	store, err := gapstore.Open(s.t.Context(), s.dial)
	if err != nil {
		s.t.Fatal(err)
	}
	defer store.Close()
	snapshot, err := inspect.Gather(s.t.Context(), store, inspect.Query{Groups: []string{sceneGroup}, SkipAges: true})
	if err != nil {
		s.t.Fatal(err)
	}
	change(store, &snapshot.Groups[0])
	p, err := NewPlan(snapshot, op)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// skipBoth is a repair that changes both partitions.
func skipBoth() Op {
	one := func(p int32, offset int64) Target {
		return Target{sceneTopic, p, codec.NewRanges(codec.Range{Start: offset, End: offset + 1})}
	}
	return Reset{Done: []Target{one(0, 3), one(1, 7)}}
}

func (s *scene) applier(dial gapstore.Dial) Applier {
	return Applier{Dial: dial, Journal: s.journal, Now: time.Now}
}

func (s *scene) apply(dial gapstore.Dial, p Plan) Result {
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	return s.applier(dial).Apply(ctx, p, Approve(p, "me@here", "test"))
}

// wanted is what stands once p is applied.
func wanted(p Plan) [2]gapstore.OffsetCommit {
	var all [2]gapstore.OffsetCommit
	for _, c := range p.Changes {
		all[c.Partition] = c.After.onWire(c.Target(), [16]byte{})
	}
	return all
}

// step is the nth request of its kind, from 1.
type step struct {
	key kmsg.Key
	nth int
}

// fault is what a wire does to one request.
type fault string

const (
	lostRequest fault = "lost request"
	lostAnswer  fault = "lost answer"
	noRetry     fault = "lost answer, and the client does not try again"
	gone        fault = "lost answer, and all that follows"
)

// wire is a network that carries requests, and spoils one of them.
type wire struct {
	mu    sync.Mutex
	seen  map[kmsg.Key]int
	steps []step
	at    step
	fault fault
	hit   bool
}

func (w *wire) dial(s *scene) gapstore.Dial {
	return func(extra ...kgo.Opt) (*kgo.Client, error) {
		var d net.Dialer
		if w.fault == noRetry {
			extra = append(extra, kgo.RequestRetries(0))
		}
		return s.dial(append(extra, kgo.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &cutConn{Conn: conn, wire: w}, nil
		}))...)
	}
}

// fate counts a request, and is what happens to it; "" when nothing does.
func (w *wire) fate(request []byte) fault {
	if len(request) < 6 {
		return ""
	}
	key := kmsg.Key(int16(request[4])<<8 | int16(request[5]))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen == nil {
		w.seen = map[kmsg.Key]int{}
	}
	w.seen[key]++
	now := step{key, w.seen[key]}
	w.steps = append(w.steps, now)
	switch {
	case now == w.at:
		w.hit = true
		return w.fault
	case w.hit && w.fault == gone:
		return lostRequest
	}
	return ""
}

type cutConn struct {
	net.Conn
	wire *wire
	cut  atomic.Bool // the next answer is lost
}

var errCut = errors.New("the line was cut")

func (c *cutConn) Write(request []byte) (int, error) {
	switch c.wire.fate(request) {
	case lostRequest:
		return 0, errors.Join(errCut, c.Conn.Close())
	case lostAnswer, noRetry, gone:
		c.cut.Store(true)
	}
	return c.Conn.Write(request)
}

func (c *cutConn) Read(answer []byte) (int, error) {
	n, err := c.Conn.Read(answer)
	if err == nil && c.cut.Load() {
		return 0, errors.Join(io.EOF, c.Conn.Close())
	}
	return n, err
}

// entries is the journal.
func (s *scene) entries() []Entry {
	s.t.Helper()
	entries, bad, err := s.journal.Entries()
	if err != nil || len(bad) > 0 {
		s.t.Fatal(err, bad)
	}
	return entries
}

// journalFile is the path of the only file of the journal.
func (s *scene) journalFile() string {
	s.t.Helper()
	files, err := os.ReadDir(s.journal.Dir)
	if err != nil || len(files) != 1 || !strings.HasSuffix(files[0].Name(), journalExtension) {
		s.t.Fatalf("%v: %v", files, err)
	}
	return filepath.Join(s.journal.Dir, files[0].Name())
}
