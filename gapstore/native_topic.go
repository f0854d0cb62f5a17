package gapstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// NativeOptions say how to create the native topic where there is none.
type NativeOptions struct {
	// Partitions is their number; 0: 50, as __consumer_offsets has. It can not
	// be changed later, because a group's partition depends on it.
	Partitions int32
	// Replication is the replication factor; 0: the broker's default.
	Replication int16
}

const (
	nativePartitions = 50
	// nativeBatch bounds the batches that are written, and nativeMessage is the
	// max.message.bytes that the topic must have at least to take them.
	nativeBatch   = 1_000_000
	nativeMessage = 1_048_588 // Kafka's own default
)

// NativeHome is the native topic, ready to be written.
type NativeHome struct {
	ID         [16]byte
	Partitions int32
	MaxMessage int // max.message.bytes
}

// ErrUnfit is the class of a [*TopicError].
var ErrUnfit = errors.New("not fit for gap commits")

// TopicProblem is one reason why a topic can not hold gap commits.
type TopicProblem struct {
	// Kind is "not-compacted", "deletes", "max-message-bytes" or
	// "partition-count".
	Kind    string
	Message string
}

// TopicError says what is wrong with the native topic. It is never altered by
// gapctl: other programs may depend on it.
type TopicError struct {
	Topic    string
	Problems []TopicProblem // at least one
}

// Error names all problems.
func (e *TopicError) Error() string {
	var messages []string
	for _, p := range e.Problems {
		messages = append(messages, p.Message)
	}
	return fmt.Sprintf("topic %s is %v: %s", e.Topic, ErrUnfit, strings.Join(messages, "; "))
}

// Unwrap is ErrUnfit.
func (e *TopicError) Unwrap() error { return ErrUnfit }

// Ensure creates the native topic, compacted, where there is none, and verifies
// it otherwise: it is never altered. A topic that can not hold gap commits is a
// [*TopicError]; any other error is an [*Error].
func (s *Store) Ensure(ctx context.Context, o NativeOptions) (NativeHome, error) {
	if !s.speaks(kmsg.Metadata, 10) { // what it would hold goes by topic IDs
		return NativeHome{}, topicIDFeature().lacking("prepare topic "+codec.NativeTopic, nil)
	}
	topic, err := s.nativeTopic(ctx)
	if err == nil && topic == nil {
		if err = s.createNative(ctx, o); err == nil {
			topic, err = s.awaitNative(ctx)
		}
	}
	if err != nil {
		return NativeHome{}, err
	}
	home, err := s.verifyNative(ctx, topic)
	if errors.Is(err, ErrNotFound) {
		// One broker has described it: to the others the news is still on its way.
		err = &Error{Class: ErrUnavailable, Op: "prepare topic " + codec.NativeTopic, Hint: hintMoving, Err: kerr.UnknownTopicOrPartition}
	}
	return home, err
}

// nativeTopic is the topic, nil when there is none.
func (s *Store) nativeTopic(ctx context.Context) (*Topic, error) {
	topics, err := s.Topics(ctx, []string{codec.NativeTopic})
	if err != nil {
		return nil, err
	}
	topic := topics[codec.NativeTopic]
	if errors.Is(topic.Err, ErrNotFound) {
		return nil, nil
	}
	return topic, topic.Err
}

func (s *Store) createNative(ctx context.Context, o NativeOptions) error {
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic = codec.NativeTopic
	t.NumPartitions = cmp.Or(o.Partitions, nativePartitions)
	t.ReplicationFactor = cmp.Or(o.Replication, -1) // KIP-464
	for name, value := range map[string]string{
		"cleanup.policy":    "compact",
		"max.message.bytes": strconv.Itoa(nativeMessage),
		"segment.bytes":     "104857600", // as __consumer_offsets: the active segment is never compacted
	} {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = name, &value
		t.Configs = append(t.Configs, config)
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, t)
	op := "create topic " + codec.NativeTopic
	resp, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return s.Failure(op, err)
	}
	if len(resp.Topics) == 0 {
		return Classify(op, errors.New("the broker did not answer for it"))
	}
	err = kerr.ErrorForCode(resp.Topics[0].ErrorCode)
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return nil // somebody else was faster
	}
	if err != nil && resp.Topics[0].ErrorMessage != nil {
		err = fmt.Errorf("%w (%q)", err, *resp.Topics[0].ErrorMessage)
	}
	return lacking(op, "CREATE on topic "+codec.NativeTopic+", or on the cluster; or make the topic beforehand, with cleanup.policy=compact", err)
}

// awaitNative waits until every broker-side trace of a new topic is there: all
// partitions have leaders.
func (s *Store) awaitNative(ctx context.Context) (*Topic, error) {
	for {
		topic, err := s.nativeTopic(ctx)
		if err == nil && topic != nil && !slices.ContainsFunc(topic.Logs, func(l Log) bool { return l.Err != nil }) {
			return topic, nil
		}
		if err != nil && !errors.Is(err, ErrUnavailable) {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, s.Failure("wait for the leaders of "+codec.NativeTopic, ctx.Err())
		}
		pause(ctx, retryEvery)
	}
}
