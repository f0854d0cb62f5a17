package gapstore

import (
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A transaction that ends between the question where the log ends and its reading
// takes nothing away: not what others have committed behind it.
func TestReadLogWhileATransactionEnds(t *testing.T) {
	t.Parallel()
	n := newNativeScene(t)
	record := func(key string) []*kgo.Record { return []*kgo.Record{{Topic: "orders", Key: []byte(key)}} }
	n.produce(record("first"))
	open := n.begin("open", record("held"))
	n.produce(record("behind"))
	n.cluster.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		n.cluster.SleepControl(func() { n.end(open, kgo.TryCommit) })
		return nil, nil, false
	})
	var keys []string
	for r, err := range n.store.ReadLog(t.Context(), LogPlace{"orders", 0}, func([]byte) bool { return true }) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(r.Key))
	}
	if want := []string{"first", "held", "behind"}; !slices.Equal(keys, want) {
		t.Errorf("read %q, want %q", keys, want)
	}
}
