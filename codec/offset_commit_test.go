package codec

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// The vectors were written by the generated classes of Kafka 4.4.0: group g1,
// orders/3, offset 100.
const (
	commitKey  = "0001 0002 6731 0006 6f7264657273 00000003"
	commitMeta = "0008 626741424144493d"
	commitTime = "0000018bcfe56800"
	commitV0   = "0000 0000000000000064" + commitMeta + commitTime
	commitV1   = "0001 0000000000000064" + commitMeta + commitTime + "0000018bcfee8fc0"
	commitV2   = "0002 0000000000000064" + commitMeta + commitTime
	commitV3   = "0003 0000000000000064 00000007" + commitMeta + commitTime
	commitV4   = "0004 0000000000000064 00000007 09 626741424144493d" + commitTime + "01 00 10 000102030405060708090a0b0c0d0e0f"
	commitBare = "0004 0000000000000064 00000007 01" + commitTime + "00"
)

func TestOffsetCommitVectors(t *testing.T) {
	base := OffsetCommit{Group: "g1", Topic: "orders", Partition: 3, Offset: 100, LeaderEpoch: -1, Metadata: "bgABADI=", CommittedAt: time.UnixMilli(1700000000000).UTC()}
	epoch, id, bare := base, base, base
	epoch.LeaderEpoch = 7
	id.LeaderEpoch, id.TopicID = 7, vectorShare.TopicID
	bare.LeaderEpoch, bare.Metadata = 7, ""
	legacy := strings.Replace(commitKey, "0001", "0000", 1)
	for _, c := range []struct {
		name, key, value string
		want             OffsetCommit
	}{
		{"v0", commitKey, commitV0, base}, {"v1", commitKey, commitV1, base}, {"v2", commitKey, commitV2, base},
		{"v3", commitKey, commitV3, epoch}, {"v4", commitKey, commitV4, id}, {"v4 bare", commitKey, commitBare, bare},
		{"legacy key", legacy, commitV0, base},
		{"unknown tag", commitKey, commitBare[:len(commitBare)-2] + "01 09 02 aabb", bare},
	} {
		if got, err := DecodeOffsetCommit(unhex(c.key), unhex(c.value)); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v\nwant %+v", c.name, got, err, c.want)
		}
	}
	got, err := DecodeOffsetCommit(unhex(commitKey), nil)
	if want := (OffsetCommit{Group: "g1", Topic: "orders", Partition: 3, Tombstone: true}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("tombstone: %+v, %v", got, err)
	}
}

func TestOffsetCommitRefuses(t *testing.T) {
	for _, c := range []struct {
		name, key, value string
		class            error
		position         int
		says             string
	}{
		{"no key", "", commitV0, ErrCorrupt, 0, "key: 2 bytes wanted"},
		{"group metadata", "0002 0002 6731", "0003", ErrUnsupported, 0, "GroupMetadata record (type 2)"},
		{"share partitions", "000f 0002 6731", "0000 01 01 01 00", ErrUnsupported, 0, "ShareGroupStatePartitionMetadata record (type 15)"},
		{"topology", "0017 0002 6731", "", ErrUnsupported, 0, "StreamsGroupTopology record (type 23)"},
		{"unused type", "0012 0002 6731", "", ErrUnsupported, 0, "unknown type 18"},
		{"far type", "7fff 0002 6731", "", ErrUnsupported, 0, "unknown type 32767"},
		{"negative type", "ffff 0002 6731", "", ErrUnsupported, 0, "unknown type -1"},
		{"cut key", commitKey[:len(commitKey)-2], commitV0, ErrCorrupt, 14, "key: 4 bytes wanted, 3 left"},
		{"long key", commitKey + "00", commitV0, ErrCorrupt, 18, "left over"},
		{"empty value", commitKey, "", ErrCorrupt, 0, "value: 2 bytes wanted"},
		{"version 5", commitKey, "0005 00", ErrUnsupported, 0, "version 5 is not known"},
		{"version -1", commitKey, "ffff 00", ErrUnsupported, 0, "version -1 is not known"},
		{"null metadata", commitKey, "0002 0000000000000064 ffff" + commitTime, ErrCorrupt, 10, "claims -1 bytes"},
		{"null compact metadata", commitKey, "0004 0000000000000064 00000007 00" + commitTime + "00", ErrCorrupt, 14, "claims -1 bytes"},
		{"long metadata", commitKey, "0004 0000000000000064 00000007 ffffffff0f" + commitTime + "00", ErrCorrupt, 14, "claims 4294967294 bytes"},
		{"left over", commitKey, commitV2 + "00", ErrCorrupt, 28, "1 bytes are left over"},
		{"cut tag", commitKey, commitV4[:len(commitV4)-2], ErrCorrupt, 33, "claims 16 bytes, 15 are left"},
	} {
		got, err := DecodeOffsetCommit(unhex(c.key), unhex(c.value))
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, c.class) || e.Position != c.position || !strings.Contains(e.Reason, c.says) {
			t.Errorf("%s: %+v, %v (want %v at %d saying %q)", c.name, got, err, c.class, c.position, c.says)
		}
	}
}

// FuzzOffsetCommit: no input panics, and what is read is what franz-go's own
// generated decoder reads.
func FuzzOffsetCommit(f *testing.F) {
	for _, value := range []string{commitV0, commitV1, commitV2, commitV3, commitV4, commitBare} {
		f.Add(unhex(commitKey), unhex(value))
	}
	f.Add(unhex("000f 0002 6731"), []byte{})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		got, err := DecodeOffsetCommit(key, value)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Position > max(len(key), len(value)) {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var wantKey kmsg.OffsetCommitKey
		if err := wantKey.ReadFrom(key); err != nil || wantKey.Group != got.Group || wantKey.Topic != got.Topic || wantKey.Partition != got.Partition {
			t.Fatalf("%+v, but kmsg reads %+v, %v", got, wantKey, err)
		}
		if got.Tombstone {
			return
		}
		want := kmsg.NewOffsetCommitValue()
		if err := want.ReadFrom(bytes.Clone(value)); err != nil {
			t.Fatalf("%+v, but kmsg reads none: %v", got, err)
		}
		if want.Version < 3 {
			want.LeaderEpoch = -1
		}
		if want.Offset != got.Offset || want.LeaderEpoch != got.LeaderEpoch || want.Metadata != got.Metadata ||
			want.CommitTimestamp != got.CommittedAt.UnixMilli() || want.TopicID != got.TopicID {
			t.Fatalf("%+v, but kmsg reads %+v", got, want)
		}
	})
}
