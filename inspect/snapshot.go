package inspect

import (
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// Snapshot is what was true about some groups, at about one time.
type Snapshot struct {
	ClusterID string
	TakenAt   time.Time
	Selection Selection // of what is there, what was asked for
	Groups    []Group   // sorted by name
	// Notices say, once each, what could not be read and what that means: a
	// missing right, or a broker without share groups.
	Notices []string
	// Incomplete is why groups may be missing that were asked for, but not by
	// name: a broker did not tell which it has. A notice says so too.
	Incomplete error
}

// Group is one group. Groups of every type have the same shape.
type Group struct {
	Name  string
	Type  string // "classic", "consumer", "share", "streams"; "" when the cluster does not tell
	State string // Kafka's word: "Stable", "Empty", "Dead", …
	// Members are the group's members now, sorted by ID.
	Members []Member
	// Partitions are those with a commit (share groups: with state), sorted by
	// topic, then partition.
	Partitions []Partition
	// DeliveryLimit is how often a share group delivers a record before it is
	// archived; 0 when not known, or not a share group.
	DeliveryLimit int
	// Unseen is why native commits, if the group has any, are not among
	// Partitions; nil when they are. See [gapstore.Loaded].
	Unseen error
	// Err is why the group as a whole could not be read.
	Err error

	unlisted bool  // known from native commits alone
	partial  bool  // some partitions were not asked for
	moving   error // why something of it is not there that may be available soon
}

// Member is one member of a group.
type Member struct {
	ID, InstanceID, ClientID, Host string
}

// Partition is one partition of a group: what is committed, against the log.
// Its Err may also be why the log could not be read; then the commit is known
// all the same, see HasState. The entry is its own: copies of the partition
// share it.
type Partition struct {
	*gapstore.Entry
	// LogStart is the first offset that the log holds, LogEnd one past the
	// last, LastStable one past the last that read-committed readers get.
	// gapstore.NoOffset when not known.
	// They are all unknown, and Err is nil, when the topic or partition does
	// not exist (any more).
	LogStart, LogEnd, LastStable int64
	// LogID is the topic's ID now, zero when not known; LogEpoch is the leader
	// epoch of the partition now, -1 when not known.
	LogID    [16]byte
	LogEpoch int32
	// OldestGapAt is the timestamp of the record at the first gap that the log
	// still holds; zero when there is none, or it is not known.
	OldestGapAt time.Time
	// Phantoms are the offsets in gaps that hold no record which a consumer
	// could ever get: transaction markers, records of aborted transactions,
	// records removed by log compaction. Empty unless they were looked for.
	Phantoms codec.Ranges
	// Findings are what is wrong, or worth knowing, sorted by kind.
	Findings []Finding

	heldGap int64                        // the first offset in a gap that consumers can still get, or unknown
	holders map[gapstore.HeldSlot]Member // who writes which slot, of the group
}

// Finding is one thing that is wrong with a partition, or worth knowing.
type Finding struct {
	Kind    string       // a stable name, such as "lost"
	Level   Level        // how much it matters
	Ranges  codec.Ranges // the offsets concerned; may be empty
	Message string       // what, and what it means
	Remedy  string       // the command that resolves it, or ""
}
