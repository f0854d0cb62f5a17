package inspect

import (
	"encoding/base64"
	"errors"

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

// nativePlace is the partition that slots share.
type nativePlace struct {
	group     string
	topicID   [16]byte
	partition int32
}

// decodeNativeRecord tells what a chunk says by itself, and, for a head, which
// comes last, what the commit says as a whole.
func (d *RecordDecoder) decodeNativeRecord(key, value []byte) Decoding {
	rec, err := codec.DecodeNativeRecord(key, value)
	if err != nil && rec.Kind == "" {
		return FailedDecoding(err)
	}
	place := nativePlace{rec.Group, rec.TopicID, rec.Partition}
	fold := d.natives[place]
	if fold == nil {
		if d.natives == nil {
			d.natives = map[nativePlace]*codec.NativeFold{}
		}
		fold = new(codec.NativeFold)
		d.natives[place] = fold
	}
	v := unanswered()
	switch err = errors.Join(err, fold.Apply(key, value)); {
	case err != nil:
		v = FailedDecoding(err)
	case rec.Kind == "chunk":
		v.Gaps, v.GapCount, v.Outstanding = rec.Gaps, Count(rec.Gaps.Len()), Count(rec.Gaps.Count())
		v.Encoding = Name(rec.Encoding)
	default:
		for entry := range fold.All() {
			state, err := entry.State()
			v = newDecoding(codec.Decoded{State: state}, err)
			v.Committed = v.Stable
		}
	}
	v.Format, v.Size = nativeName, Count(len(key)+len(value))
	v.RecordView = &RecordView{"native-" + rec.Kind, rec.Group, "", topicIDText(rec.TopicID), rec.Partition, rec.Tombstone}
	return v
}
