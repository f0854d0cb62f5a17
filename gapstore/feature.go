package gapstore

import (
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// feature is a part of Kafka that not every broker has.
type feature struct {
	name  string // in the plural
	since string // the first Apache Kafka that has it
}

// topicIDFeature: native commits go by topic IDs.
func topicIDFeature() feature { return feature{"topic IDs (KIP-516)", "2.8"} }

// featureOf is what a broker lacks that does not know the request; false for
// requests that are older than all that this package needs.
func featureOf(request int16) (feature, bool) {
	switch kmsg.Key(request) {
	case kmsg.ShareGroupDescribe, kmsg.ShareGroupHeartbeat, kmsg.ShareFetch, kmsg.ShareAcknowledge,
		kmsg.DescribeShareGroupOffsets, kmsg.AlterShareGroupOffsets, kmsg.DeleteShareGroupOffsets,
		kmsg.ReadShareGroupState, kmsg.ReadShareGroupStateSummary:
		// The preview in 4.0 is another protocol.
		return feature{"share groups (KIP-932)", "4.1"}, true
	case kmsg.ConsumerGroupDescribe:
		return feature{"groups of the consumer protocol (KIP-848)", "4.0"}, true
	case kmsg.ListTransactions, kmsg.DescribeTransactions:
		return feature{"lists of transactions (KIP-664)", "3.0"}, true
	case kmsg.DescribeProducers:
		return feature{"lists of a partition's producers (KIP-664)", "2.8"}, true
	case kmsg.TxnOffsetCommit:
		return feature{"transactions that only members of the group can commit in (KIP-447)", "2.5"}, true
	}
	return feature{}, false
}

// lacking is the [*Error] of op, which needs the feature; cause is how the
// broker, or the client, said that it is not there, and may be nil.
func (f feature) lacking(op string, cause error) error {
	return &Error{
		Class: ErrUnsupported, Op: op, Hint: "what needs them wants Apache Kafka " + f.since + " or later; all else works here",
		Err: unknownRequest{"the broker has no " + f.name + ", which Apache Kafka has since " + f.since, cause},
	}
}

// unknownRequest is why a broker did not take a request, in plain words.
type unknownRequest struct {
	text  string
	cause error
}

func (e unknownRequest) Error() string { return e.text }

func (e unknownRequest) Unwrap() error { return e.cause }

// RequestFailure is [Store.Failure] of a request, by its key: where the broker
// does not know it, the error says which feature is missing, and since when
// Apache Kafka has it.
func (s *Store) RequestFailure(op string, request int16, err error) error {
	failed := s.Failure(op, err)
	if f, known := featureOf(request); known && errors.Is(failed, ErrUnsupported) {
		return f.lacking(op, err)
	}
	return failed
}
