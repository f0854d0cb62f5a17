//go:build linux

package soak

import (
	"encoding/binary"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// ending is how transactions end: by the producer, and the epoch that the end
// gives it (KIP-890).
type ending struct {
	producer int64
	epoch    int16
}

// findTorn finds transactions that the cluster itself has torn: committed in one
// log and aborted in another. Nobody can promise exactly once over these; what
// is found of their partitions is told, and not held against gapctl.
//
// A broker that is killed, and starts again before the controller has given it
// up, leads on for a moment. As the coordinator of transactions it then loads all
// of its log (TransactionStateManager.loadTransactionMetadata reads to the end,
// not to the high watermark), and sends the markers of a commit that nobody but
// itself has noted. The coordinator that follows knows nothing of it, and aborts.
func (s *soak) findTorn() {
	s.t.Helper()
	if s.cluster.Version() < "4" {
		return // one epoch has many transactions
	}
	const aborted, committed = 1, 2
	ends := map[ending]int{}
	at := map[ending][]place{}
	for _, name := range []string{"__consumer_offsets", codec.NativeTopic} {
		s.readLog(name, kgo.ReadUncommitted(), func(r *kgo.Record) {
			key := ending{r.ProducerID, r.ProducerEpoch}
			if !r.Attrs.IsControl() {
				if p, ok := committedPlace(r.Key); ok && r.Attrs.IsTransactional() {
					key.epoch++
					at[key] = append(at[key], p)
				}
			} else if len(r.Key) >= 4 {
				ends[key] |= aborted << binary.BigEndian.Uint16(r.Key[2:])
			}
		})
	}
	for end, kinds := range ends {
		if kinds == aborted|committed && len(at[end]) > 0 {
			s.t.Logf("TORN BY THE CLUSTER: the transaction of producer %d, epoch %d, is committed and aborted, with commits of %v", end.producer, end.epoch-1, at[end])
			for _, p := range at[end] {
				s.torn[p] = true
			}
		}
	}
}

// committedPlace is what a record of __consumer_offsets commits; false for
// others. Its key is a version, 0 or 1, then group, topic and partition.
func committedPlace(key []byte) (place, bool) {
	text := func() string {
		if len(key) < 2 || len(key)-2 < int(binary.BigEndian.Uint16(key)) {
			return ""
		}
		n := 2 + int(binary.BigEndian.Uint16(key))
		t := string(key[2:n])
		key = key[n:]
		return t
	}
	if len(key) < 2 || binary.BigEndian.Uint16(key) > 1 {
		return place{}, false
	}
	key = key[2:]
	group, of := text(), text()
	if of != topic || len(key) != 4 {
		return place{}, false
	}
	return place{group, int32(binary.BigEndian.Uint32(key))}, true
}

// blame is fail, unless the cluster has torn a transaction there.
func (s *soak) blame(at place, kind, format string, args ...any) {
	if s.torn[at] {
		s.t.Logf("after a torn transaction, "+kind+": "+format, args...)
		return
	}
	s.fail(kind, format, args...)
}
