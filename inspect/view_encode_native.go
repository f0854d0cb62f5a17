package inspect

import (
	"encoding/base64"

	"github.com/gapctl/gapctl/codec"
)

const nativeName = "native"

// Owner is whose commit native records are.
type Owner struct {
	Group     string
	Topic     string // only shown: records have the ID
	TopicID   [16]byte
	Partition int32
}

// NativeRecords are the records of one commit in the native format.
type NativeRecords struct {
	Group     string         `json:"group"`
	Topic     string         `json:"topic"`
	TopicID   string         `json:"topic_id"`
	Partition int32          `json:"partition"`
	Records   []NativeRecord `json:"records"`
}

// NativeRecord is one record, in base64.
type NativeRecord struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"` // null deletes
}

// setNative writes s as records; the size is that of all keys and values.
func (v *Encoding) setNative(s codec.State, o Owner) {
	v.Format, v.Committed = nativeName, Count(s.Stable)
	records, err := codec.EncodeNative(codec.NativeCommit{
		NativeID:    codec.NativeID{Group: o.Group, TopicID: o.TopicID, Partition: o.Partition},
		NativeStamp: codec.NativeStamp{LeaderEpoch: -1, Generation: -1},
		State:       s,
	})
	if err != nil {
		v.Committed, v.Size, v.Error = -1, -1, newErrorView(err)
		return
	}
	id := base64.RawURLEncoding.EncodeToString(o.TopicID[:])
	v.NativeRecords = &NativeRecords{Group: o.Group, Topic: o.Topic, TopicID: id, Partition: o.Partition, Records: []NativeRecord{}}
	for _, r := range records {
		v.Records = append(v.Records, NativeRecord(r))
		v.Size += Count(len(r.Key) + len(r.Value))
	}
}

func (n *NativeRecords) table() Table {
	return Table{
		Columns: []Column{{Name: "KEY"}, {Name: "VALUE"}},
		Rows: rowsOf(n.Records, func(r *NativeRecord, row []Cell) []Cell {
			encode := base64.StdEncoding.EncodeToString
			return append(row, text(encode(r.Key)), text(encode(r.Value)))
		}),
	}
}
