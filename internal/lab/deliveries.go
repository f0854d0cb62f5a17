package lab

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gapctl/gapctl/codec"
)

const (
	// deliveryLimit is Kafka's and kfake's default of
	// group.share.delivery.count.limit.
	deliveryLimit = 5
	// longestBatch bounds what one acknowledgement can cost: Kafka's default
	// of group.share.partition.max.record.locks, which no valid one exceeds.
	longestBatch = 2000
)

// The acknowledgement types of ShareFetch and ShareAcknowledge (KIP-932).
const (
	ackGap     = 0
	ackAccept  = 1
	ackRelease = 2
	ackReject  = 3
)

// deliveries are the delivery states of all share partitions, as far as
// acknowledgements tell.
type deliveries struct {
	mu   sync.Mutex
	seen map[codec.ShareKey]map[int64]delivery
}

type delivery struct {
	State codec.DeliveryState
	Count int16
}

// acknowledge takes one acknowledgement batch: types has one type for all
// offsets from first to last, both included, or one for each.
func (d *deliveries) acknowledge(key codec.ShareKey, first, last int64, types []int8) {
	if len(types) == 0 || first < 0 || last < first || last-first >= longestBatch {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	records := d.seen[key]
	if records == nil {
		records = make(map[int64]delivery)
		d.seen[key] = records
	}
	for offset := first; offset <= last; offset++ {
		ack := types[0]
		if i := offset - first; len(types) > 1 && i < int64(len(types)) {
			ack = types[i]
		}
		if next, ok := records[offset].after(ack); ok {
			records[offset] = next
		}
	}
}

// after is the state that follows once more delivery, which ended in ack; false
// when nothing changes.
func (r delivery) after(ack int8) (delivery, bool) {
	if r.State.Terminal() {
		return r, false
	}
	r.Count++
	switch {
	case ack == ackAccept:
		r.State = codec.Acknowledged
	case ack == ackReject, ack == ackGap, ack == ackRelease && r.Count >= deliveryLimit:
		r.State = codec.Archived
	case ack == ackRelease:
		r.State = codec.Available
	default: // a renewal: still being processed
		return r, false
	}
	return r, true
}

// forget drops what is known of the partitions for which drop is true.
func (d *deliveries) forget(drop func(codec.ShareKey) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.seen, func(key codec.ShareKey, _ map[int64]delivery) bool { return drop(key) })
}

// state is the state of a share partition whose start offset is start. What lies
// below start is finished for good, and forgotten.
func (d *deliveries) state(key codec.ShareKey, start int64, leaderEpoch int32) codec.ShareState {
	s := codec.ShareState{StartOffset: start, LeaderEpoch: leaderEpoch, DeliveryComplete: -1}
	if start < 0 {
		return s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.DeliveryComplete = 0
	records := d.seen[key]
	maps.DeleteFunc(records, func(offset int64, _ delivery) bool { return offset < start })
	for _, offset := range slices.Sorted(maps.Keys(records)) {
		r := records[offset]
		if r.State.Terminal() {
			s.DeliveryComplete++
		}
		if n := len(s.Batches); n > 0 && s.Batches[n-1].End == offset && s.Batches[n-1].State == r.State && s.Batches[n-1].Count == r.Count {
			s.Batches[n-1].End++
			continue
		}
		s.Batches = append(s.Batches, codec.Delivery{Range: codec.Range{Start: offset, End: offset + 1}, State: r.State, Count: r.Count})
	}
	return s
}

// deliveriesFile keeps the deliveries beside kfake's files. Like kfake's own
// share state it is written by a clean end alone and removed by the next start,
// so that after a crash both are gone rather than one stale.
const deliveriesFile = "gapctl-share-state.json"

type savedDelivery struct {
	Key     codec.ShareKey
	Records map[int64]delivery
}

func loadDeliveries(dir string) (*deliveries, error) {
	d := &deliveries{seen: make(map[codec.ShareKey]map[int64]delivery)}
	if dir == "" {
		return d, nil
	}
	path := filepath.Join(dir, deliveriesFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	var saved []savedDelivery
	if err := json.Unmarshal(data, &saved); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range saved {
		d.seen[s.Key] = s.Records
	}
	return d, nil
}

// claimDeliveries removes the file that was loaded, once kfake has taken over its own.
func claimDeliveries(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(dir, deliveriesFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *deliveries) save(dir string) error {
	d.mu.Lock() // a last request may still be on its way
	defer d.mu.Unlock()
	if dir == "" || len(d.seen) == 0 {
		return nil
	}
	var saved []savedDelivery
	for key, records := range d.seen {
		saved = append(saved, savedDelivery{key, records})
	}
	slices.SortFunc(saved, func(a, b savedDelivery) int {
		return cmp.Or(cmp.Compare(a.Key.Group, b.Key.Group), slices.Compare(a.Key.TopicID[:], b.Key.TopicID[:]), cmp.Compare(a.Key.Partition, b.Key.Partition))
	})
	data, err := json.Marshal(saved)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, deliveriesFile), data, 0o600)
}
