package codec

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// The vectors were written by the generated classes of Kafka 4.4.0: group g1,
// partition 3.
const (
	snapshotKey  = "0000 0002 6731 000102030405060708090a0b0c0d0e0f 00000003"
	updateKey    = "0001 0002 6731 000102030405060708090a0b0c0d0e0f 00000003"
	snapshotHead = "0000 00000001 00000002 00000005 0000000000000064 0000018bcfe56800 0000018bcfe56800"
	threeBatches = "04 0000000000000066 0000000000000068 02 0001 00" +
		"0000000000000069 0000000000000069 04 0005 00" +
		"000000000000006a 000000000000006b 00 0002 00"
	snapshotValue  = snapshotHead + threeBatches + "01 00 04 00000004"
	freshValue     = "0000 00000000 00000000 00000000 ffffffffffffffff 0000018bcfe56800 0000018bcfe56800 01 00"
	updateValue    = "0000 00000001 00000005 ffffffffffffffff 02 0000000000000065 0000000000000065 02 0001 00 01 00 04 00000005"
	previewValue   = "0000 0001 00000002 00000005 0000000000000064" + threeBatches + "00"
	previewUpdated = "0000 ffff 00000005 ffffffffffffffff 02 0000000000000065 0000000000000065 02 0001 00 00"
)

var (
	vectorShare = ShareKey{Group: "g1", TopicID: [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, Partition: 3}
	vectorTime  = time.UnixMilli(1700000000000).UTC()
)

func TestShareRecordVectors(t *testing.T) {
	batches := []Delivery{{Range{102, 105}, Acknowledged, 1}, {Range{105, 106}, Archived, 5}, {Range{106, 108}, Available, 2}}
	snapshot := ShareRecord{Kind: ShareSnapshot, Key: vectorShare, SnapshotEpoch: 1, StateEpoch: 2, LeaderEpoch: 5, StartOffset: 100,
		DeliveryComplete: 4, CreatedAt: vectorTime, WrittenAt: vectorTime, Batches: batches}
	update := ShareRecord{Kind: ShareUpdate, Key: vectorShare, SnapshotEpoch: 1, LeaderEpoch: 5, StartOffset: -1, DeliveryComplete: 5,
		Batches: []Delivery{{Range{101, 102}, Acknowledged, 1}}}
	unset, preview, updated := snapshot, snapshot, update
	unset.DeliveryComplete = -1
	preview.DeliveryComplete, preview.Preview, preview.CreatedAt, preview.WrittenAt = -1, true, time.Time{}, time.Time{}
	updated.DeliveryComplete, updated.Preview, updated.SnapshotEpoch = -1, true, 65535
	for _, c := range []struct {
		name, key, value string
		want             ShareRecord
	}{
		{"snapshot", snapshotKey, snapshotValue, snapshot},
		{"no count", snapshotKey, snapshotHead + threeBatches + "00", unset},
		{"unknown tags", snapshotKey, snapshotHead + threeBatches + "02 00 04 00000004 07 03 aabbcc", snapshot},
		{"unknown size of tag 0", snapshotKey, snapshotHead + threeBatches + "01 00 02 0004", unset},
		{"fresh", snapshotKey, freshValue, ShareRecord{Kind: ShareSnapshot, Key: vectorShare, StartOffset: -1, DeliveryComplete: -1, CreatedAt: vectorTime, WrittenAt: vectorTime}},
		{"update", updateKey, updateValue, update},
		{"4.0 snapshot", snapshotKey, previewValue, preview},
		{"4.0 update", updateKey, previewUpdated, updated},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodeShareRecord(unhex(c.key), unhex(c.value))
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
	got, err := DecodeShareRecord(unhex(snapshotKey), nil)
	if want := (ShareRecord{Kind: ShareSnapshot, Key: vectorShare, Tombstone: true}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("tombstone: %+v, %v", got, err)
	}
}

func TestShareRecordRefuses(t *testing.T) {
	const negativeBatch = "02 ffffffffffffffff 0000000000000001 02 0001 00 00"
	for _, c := range []struct {
		name, key, value string
		class            error
		position         int
		says             string
	}{
		{"no key", "", "00", ErrCorrupt, 0, "key: 2 bytes wanted, 0 left"},
		{"unknown type", "0002 0002 6731", "00", ErrUnsupported, 0, "no known record type"},
		{"long group", "0000 7fff 6731", "00", ErrCorrupt, 2, "claims 32767 bytes, 2 are left"},
		{"negative group", "0000 ffff 6731", "00", ErrCorrupt, 2, "claims -1 bytes"},
		{"cut key", snapshotKey[:len(snapshotKey)-2], "00", ErrCorrupt, 22, "4 bytes wanted, 3 left"},
		{"long key", snapshotKey + "00", "00", ErrCorrupt, 26, "1 bytes are left over"},
		{"empty value", snapshotKey, "", ErrCorrupt, 0, "value: 2 bytes wanted, 0 left"},
		{"version 1", snapshotKey, "0001", ErrUnsupported, 0, "no known version"},
		{"cut value", snapshotKey, "0000 00000001 000000", ErrCorrupt, 6, "4 bytes wanted, 3 left"},
		{"left over", snapshotKey, snapshotValue + "00", ErrCorrupt, 106, "1 bytes are left over"},
		{"claims 2^31 batches", snapshotKey, snapshotHead + "8080808008 00", ErrCorrupt, 38, "2147483647 elements are claimed"},
		{"endless number", snapshotKey, snapshotHead + "ffffffffffff 00", ErrCorrupt, 38, "more than five bytes"},
		{"number of 35 bits", snapshotKey, snapshotHead + "ffffffff7f 00", ErrCorrupt, 38, "more than 32 bits"},
		{"claims 2^32 tags", snapshotKey, snapshotHead + "01 ffffffff0f", ErrCorrupt, 44, "1 bytes wanted, 0 left"},
		{"long tag", snapshotKey, snapshotHead + "01 01 05 ffffffff0f 00", ErrCorrupt, 41, "tagged field 5 claims 4294967295 bytes, 1 are left"},
		{"negative start", snapshotKey, strings.Replace(snapshotHead, "0000000000000064", "fffffffffffffffe", 1) + "01 00", ErrCorrupt, 14, "start offset -2"},
		{"negative batch", snapshotKey, snapshotHead + negativeBatch, ErrCorrupt, 39, "a batch of offsets -1 to 1"},
		{"reversed batch", snapshotKey, snapshotHead + "02 0000000000000005 0000000000000004 02 0001 00 00", ErrCorrupt, 39, "a batch of offsets 5 to 4"},
		{"largest offset", snapshotKey, snapshotHead + "02 0000000000000005 7fffffffffffffff 02 0001 00 00", ErrCorrupt, 39, "a batch of offsets"},
		{"unknown state", snapshotKey, snapshotHead + "02 0000000000000005 0000000000000005 05 0001 00 00", ErrCorrupt, 39, "state 5"},
		{"negative state", snapshotKey, snapshotHead + "02 0000000000000005 0000000000000005 ff 0001 00 00", ErrCorrupt, 39, "state -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec, err := DecodeShareRecord(unhex(c.key), unhex(c.value))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, c.class) || e.Position != c.position || !strings.Contains(e.Reason, c.says) {
				t.Fatalf("%+v, %v (position %v)", rec, err, e)
			}
			if inKey := c.key != snapshotKey; inKey != (rec.Kind == "") || !inKey && rec.Key != vectorShare {
				t.Errorf("record %+v for an error in the key: %t", rec, inKey)
			}
		})
	}
}

// TestShareRecordClaimsAreFree: what a count claims is not allocated.
func TestShareRecordClaimsAreFree(t *testing.T) {
	key, value := unhex(snapshotKey), unhex(snapshotHead+"ffffffff0f 00")
	if n := allocatedBy(func() { DecodeShareRecord(key, value) }); n > 16<<10 {
		t.Errorf("%d bytes allocated", n)
	}
}

func shareRecordSeeds() [][2][]byte {
	return [][2][]byte{
		{unhex(snapshotKey), unhex(snapshotValue)}, {unhex(snapshotKey), unhex(freshValue)}, {unhex(updateKey), unhex(updateValue)},
		{unhex(snapshotKey), unhex(previewValue)}, {unhex(updateKey), unhex(previewUpdated)}, {unhex(snapshotKey), nil},
	}
}

// FuzzShareRecord: no input panics, what is read is well-formed and no larger
// than the input, folding it gives a canonical state, and neither key nor
// value is changed.
func FuzzShareRecord(f *testing.F) {
	for _, r := range shareRecordSeeds() {
		f.Add(r[0], r[1])
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		keyBefore, valueBefore := bytes.Clone(key), bytes.Clone(value)
		rec, err := DecodeShareRecord(key, value)
		var fold ShareFold
		fold.Apply(unhex(snapshotKey), unhex(snapshotValue))
		if foldErr := fold.Apply(key, value); (foldErr == nil) != (err == nil) {
			t.Fatalf("decode says %v, fold says %v", err, foldErr)
		}
		if !bytes.Equal(key, keyBefore) || !bytes.Equal(value, valueBefore) {
			t.Fatal("the input was changed")
		}
		if len(rec.Batches) > len(value)/batchSize {
			t.Fatalf("%d batches out of %d bytes", len(rec.Batches), len(value))
		}
		for _, s := range fold.All() {
			if err := s.State().Check(); err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
		}
	})
}
