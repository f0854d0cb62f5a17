package lab

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// MetadataLimit is the broker's offset.metadata.max.bytes, Kafka's default. It
// counts UTF-16 units.
const MetadataLimit = 4096

// limitMetadata refuses every partition whose commit metadata is above
// MetadataLimit, and that one alone, as Kafka's OffsetMetadataManager does.
func (l *Lab) limitMetadata() {
	var last *kfake.FaultHandle
	refuse := func(req kmsg.Request, faults []kfake.Fault) {
		if last != nil {
			last.Remove() // its request is answered: kfake takes them one by one
			last = nil
		}
		for i := range faults {
			faults[i].Err = kerr.OffsetMetadataTooLarge
			faults[i].When = func(r kmsg.Request) bool { return r == req }
		}
		if len(faults) > 0 {
			last = l.cluster.Fault(faults...)
		}
	}
	l.observe(kmsg.OffsetCommit, func(req kmsg.Request) {
		refuse(req, tooLarge(req.(*kmsg.OffsetCommitRequest)))
	})
	l.observe(kmsg.TxnOffsetCommit, func(req kmsg.Request) {
		refuse(req, l.txnTooLarge(req.(*kmsg.TxnOffsetCommitRequest)))
	})
}

func tooLarge(req *kmsg.OffsetCommitRequest) []kfake.Fault {
	var faults []kfake.Fault
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			if exceeds(p.Metadata) {
				faults = append(faults, kfake.Fault{Group: req.Group, Topic: t.Topic, TopicID: t.TopicID, Partitions: []int32{p.Partition}})
			}
		}
	}
	return faults
}

func (l *Lab) txnTooLarge(req *kmsg.TxnOffsetCommitRequest) []kfake.Fault {
	var faults []kfake.Fault
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			if !exceeds(p.Metadata) {
				continue
			}
			if t.Topic == "" { // from version 6 on; kfake's faults know this request's topics by name
				t.Topic = l.topicName(t.TopicID)
			}
			faults = append(faults, kfake.Fault{Group: req.Group, Topic: t.Topic, Partitions: []int32{p.Partition}})
		}
	}
	return faults
}

// topicName asks the cluster, from within a control function; "" when there is
// no such topic.
func (l *Lab) topicName(id [16]byte) string {
	topic := kmsg.NewMetadataRequestTopic()
	topic.TopicID = id
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = append(req.Topics, topic)
	resp, err := await(l, func(ctx context.Context) (*kmsg.MetadataResponse, error) { return req.RequestWith(ctx, l.client) })
	if err != nil || len(resp.Topics) == 0 || resp.Topics[0].Topic == nil {
		return ""
	}
	return *resp.Topics[0].Topic
}

func exceeds(metadata *string) bool {
	return metadata != nil && codec.MetadataSize(*metadata) > MetadataLimit
}
