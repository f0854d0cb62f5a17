package inspect

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
)

// RecordView is what a record of an internal topic is about.
type RecordView struct {
	Record    string `json:"record"` // "offset-commit", "share-snapshot", "share-update", "native-head", "native-chunk"
	Group     string `json:"group"`
	Topic     Name   `json:"topic"`    // null where the record only has the ID
	TopicID   Name   `json:"topic_id"` // as Kafka prints it; null where not written
	Partition int32  `json:"partition"`
	Tombstone bool   `json:"tombstone"`
}

func (v *RecordView) writeJSON(j *jsonWriter) {
	j.str("record", v.Record)
	j.str("group", v.Group)
	j.name("topic", v.Topic)
	j.name("topic_id", v.TopicID)
	j.count("partition", Count(v.Partition))
	j.begin("tombstone")
	j.b = fmt.Append(j.b, v.Tombstone)
}

// The internal topics whose records hold gap commits.
const (
	TopicConsumerOffsets = "__consumer_offsets"
	TopicShareGroupState = "__share_group_state"
)

// RecordDecoder tells what records of internal topics say. Share groups write
// changes, so it remembers what came before: give it each partition in order.
type RecordDecoder struct {
	// One fold per partition, so that an answer costs that one only.
	folds   map[codec.ShareKey]*codec.ShareFold
	natives map[nativePlace]*codec.NativeFold
}

// Decode tells what one record says; value nil is a tombstone. An empty topic
// is told from the key. For share groups it is the state that this record and
// those before it amount to.
func (d *RecordDecoder) Decode(topic string, key, value []byte) Decoding {
	switch topic {
	case TopicConsumerOffsets:
		return decodeCommitRecord(key, value)
	case TopicShareGroupState:
		return d.decodeShareRecord(key, value)
	case codec.NativeTopic:
		return d.decodeNativeRecord(key, value)
	case "":
		if _, err := codec.DecodeNativeRecord(key, nil); err == nil {
			return d.decodeNativeRecord(key, value)
		}
		if rec, err := codec.DecodeShareRecord(key, nil); err == nil && rec.Kind != "" {
			return d.decodeShareRecord(key, value)
		}
		return decodeCommitRecord(key, value)
	}
	return FailedDecoding(&codec.Error{Class: codec.ErrUnsupported, Position: -1, Reason: fmt.Sprintf("records of topic %q hold no gap commits", topic)})
}

func decodeCommitRecord(key, value []byte) Decoding {
	c, err := codec.DecodeOffsetCommit(key, value)
	if isOtherRecord(key, err) {
		// A group's members and assignments share the topic: nothing is wrong.
		v := unanswered()
		v.Anomalies = append(v.Anomalies, codec.Anomaly{Kind: "not-a-commit", Message: err.Error()})
		return v
	}
	if err != nil {
		return FailedDecoding(err)
	}
	v := unanswered()
	if !c.Tombstone {
		v = Decode(c.Metadata, c.Offset, "", "")
	}
	v.RecordView = &RecordView{"offset-commit", c.Group, Name(c.Topic), topicIDText(c.TopicID), c.Partition, c.Tombstone}
	return v
}

// isOtherRecord reports whether err is because the key is of a type that the
// topic also holds, rather than because of bytes that make no sense.
func isOtherRecord(key []byte, err error) bool {
	return errors.Is(err, codec.ErrUnsupported) && len(key) >= 2 && binary.BigEndian.Uint16(key) > 1
}

func (d *RecordDecoder) decodeShareRecord(key, value []byte) Decoding {
	rec, err := codec.DecodeShareRecord(key, value)
	if err != nil && rec.Kind == "" {
		return FailedDecoding(err)
	}
	if d.folds == nil {
		d.folds = map[codec.ShareKey]*codec.ShareFold{}
	}
	fold := d.folds[rec.Key]
	if fold == nil {
		fold = new(codec.ShareFold)
		d.folds[rec.Key] = fold
	}
	v := unanswered()
	if err = fold.Apply(key, value); err != nil {
		v = FailedDecoding(err)
	}
	for _, state := range fold.All() {
		if state.Err == nil && state.Initialized() {
			v = newDecoding(codec.Decoded{State: state.State(), Anomalies: state.Anomalies()}, nil)
			v.Committed = Count(state.StartOffset)
		}
	}
	v.Format, v.Encoding, v.Size = "share-group", Name(rec.Kind), Count(len(value))
	v.RecordView = &RecordView{"share-" + string(rec.Kind), rec.Key.Group, "", topicIDText(rec.Key.TopicID), rec.Key.Partition, rec.Tombstone}
	return v
}

// unanswered is the answer to a record that says nothing of any offset.
func unanswered() Decoding {
	return Decoding{
		Committed: -1, Stable: -1, Max: -1, GapCount: -1, Outstanding: -1, Size: -1, Anomalies: []codec.Anomaly{},
	}
}

// topicIDText is the ID in Kafka's text form (Uuid.toString), "" when zero.
func topicIDText(id [16]byte) Name {
	if id == ([16]byte{}) {
		return ""
	}
	return Name(base64.RawURLEncoding.EncodeToString(id[:]))
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
