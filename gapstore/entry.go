package gapstore

import (
	"errors"
	"strconv"

	"github.com/gapctl/gapctl/codec"
)

// Key names one partition of one group.
type Key struct {
	Group     string
	Topic     string
	Partition int32
}

// String is the key as messages print it: "billing orders/3".
func (k Key) String() string {
	return k.Group + " " + k.Topic + "/" + strconv.Itoa(int(k.Partition))
}

// Home says where an entry was read, and where a write would go.
type Home string

// The homes.
const (
	HomeCommit     Home = "commit"      // the group's offset commit, in __consumer_offsets
	HomeShareState Home = "share-state" // the share coordinator, in __share_group_state
	HomeNative     Home = "native"      // the compacted topic __individual_commit_offsets
)

// NoOffset stands in memory for an offset that is not known or not there.
const NoOffset int64 = -1

// Entry is what one group has committed for one partition.
type Entry struct {
	Key
	// TopicID is the topic's ID; zero where the cluster does not tell.
	TopicID [16]byte
	// Committed is Kafka's committed offset as it stands (share groups: the
	// start offset), or NoOffset.
	Committed int64
	// LeaderEpoch is the commit's leader epoch, -1 when unset.
	LeaderEpoch int32
	// Home is where the entry was read.
	Home Home
	// Format and Encoding name how the gaps are written; "" when there is no
	// metadata, or none that is recognised. They are set also when the bytes
	// turn out to be bad. Foreign: recognised, but no gaps.
	Format, Encoding string
	Foreign          bool
	// State is the meaning, where [Entry.HasState].
	State codec.State
	// Raw is the metadata, verbatim. It is hostile input.
	Raw string
	// Size is how much of SizeLimit the format uses, in the unit that the
	// limit counts (commit metadata: UTF-16 units). SizeLimit 0: no limit.
	Size, SizeLimit int
	// MetadataLimit is the most UTF-16 units that a commit of the partition may
	// have as metadata, also where the gaps are kept elsewhere; 0: not known.
	MetadataLimit int
	// Anomalies are what is unusual about the bytes.
	Anomalies []codec.Anomaly
	// Slots are the partition's slots in the native topic, ascending. They are
	// also there when another format has taken over from them.
	Slots []Slot
	// Pending is true when an open transaction is about to change the commit;
	// the entry is what is committed now (KIP-447).
	Pending bool
	// ReportedLag is the lag that the cluster itself reports: for a share
	// group, the records that are not finished (KIP-1226). NoOffset when it
	// reports none.
	ReportedLag int64
	// Err is why the entry can not be told, or not all of it: a *codec.Error
	// for bytes, an *Error for a broker's answer. See [Entry.HasState].
	Err error
}

// HasState reports whether State is known: there is a commit, and its bytes
// could be decoded. Native records are a commit by themselves, as they outlive
// Kafka's offset. An entry may have its state and an Err all the same, when
// something else about it could not be read.
func (e *Entry) HasState() bool {
	if e.Committed < 0 && e.Home != HomeNative || e.StartOnly() {
		return false
	}
	return e.Err == nil || !isUndecoded(e.Err)
}

// Moved reports whether another program has moved Kafka's offset since it was
// committed with native gaps, and where it was then: at the stable offset of
// slot 0, whose writer sets both at once. What other members have committed to
// their slots since may have brought the union further; that is no move.
func (e *Entry) Moved() (from int64, moved bool) {
	from = e.State.Stable
	if len(e.Slots) > 0 {
		from = e.Slots[0].State.Stable
	}
	if e.Home != HomeNative || e.Committed < 0 || len(e.Slots) > 0 && e.Slots[0].Slot != 0 {
		return from, false // nothing to compare with
	}
	return from, e.Committed != from
}

// StartOnly reports whether e is a share partition of which only the start
// offset, in Committed, and the reported lag are known, for want of a right to
// read its records' states. What is outstanding is not known then.
func (e *Entry) StartOnly() bool {
	return e.Home == HomeShareState && e.Encoding == "" && e.Err == nil
}

func isUndecoded(err error) bool {
	var undecoded *codec.Error
	return errors.As(err, &undecoded)
}
