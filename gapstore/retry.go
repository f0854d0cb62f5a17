package gapstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Retry says what becomes of a record that fails ([Consumer.Fail]): it is copied
// to a retry topic, from where the same group gets it again after a delay, until
// it has failed for the last time and goes to a dead-letter topic. Each copy is
// made in the transaction that closes the gap of what it is a copy of.
//
// The retry topic belongs to the group, and has at least as many partitions as
// the topic consumed: a copy keeps the number of its partition, and whoever has
// the partition has the copies too. What else is written to it is delivered as
// well: gapctl replay --to-topic puts records back into a group's work so.
type Retry struct {
	// Topic is the retry topic. It must be there, and not be compacted. Copies
	// have the time at which they are made, so that its retention counts from
	// the failure.
	Topic string
	// DeadLetter is the dead-letter topic, which must be there; "" with 0
	// Attempts.
	DeadLetter string
	// Attempts is how often a record is delivered before it goes to DeadLetter;
	// 0: without an end.
	Attempts int
	// Delay is how long a record waits after it has failed that many times; nil:
	// not at all. The clocks of the members should agree better than that.
	Delay func(failures int) time.Duration
	// Order is what is kept of the records' order when one fails.
	Order RetryOrder
	// Hold bounds the records of each partition that are held in memory, because
	// they wait for their time or for others; 0: 1000. Beyond it a partition is
	// read no further until some have gone.
	Hold int
}

// RetryOrder is what becomes of a partition's order after a record has failed
// (KIP-408).
type RetryOrder int

const (
	// OrderNone: all else goes on, and a retry comes when it is due.
	OrderNone RetryOrder = iota
	// OrderPseudo: all else goes on. Retries that are due are merged with what
	// else is at hand by time of arrival (the timestamp of the record that
	// failed), then by offset.
	OrderPseudo
	// OrderBlockKey: records of one key are delivered one by one, each after the
	// one before it is done, or dead. While one of them waits on the retry topic,
	// none of those after it is delivered to anybody. In a group that shares
	// nothing, all records without a key have one order too; with [ByKey] they
	// have none. Not for [ByBlock].
	OrderBlockKey
	// OrderBlockPartition is the same for all records of a partition: one at a
	// time. Only where partitions are not shared.
	OrderBlockPartition
)

// holdRecords is how many records of a partition are held in memory by default.
const holdRecords = 1000

func (o RetryOrder) blocks() bool { return o == OrderBlockKey || o == OrderBlockPartition }

// check finds options that can not be.
func (r *Retry) check(o ConsumerOptions) error {
	switch {
	case len(o.Topics) != 1:
		return fmt.Errorf("consumer: a retry topic takes the records of one topic, not of %d", len(o.Topics))
	case r.Topic == "" || r.Topic == o.Topics[0] || r.Topic == r.DeadLetter || r.DeadLetter == o.Topics[0]:
		return errors.New("consumer: the topic consumed, the retry topic and the dead-letter topic must be three")
	case r.Attempts < 0 || (r.Attempts > 0) != (r.DeadLetter != ""):
		return errors.New("consumer: a number of attempts takes a dead-letter topic, and none takes none")
	case r.Order < OrderNone || r.Order > OrderBlockPartition || r.Hold < 0:
		return fmt.Errorf("consumer: no such retry: order %d, hold %d", int(r.Order), r.Hold)
	case r.Order.blocks() && o.Sharing == ByBlock, r.Order == OrderBlockPartition && o.Sharing != Whole:
		return fmt.Errorf("consumer: order %d can not be kept where partitions are shared %v", int(r.Order), o.Sharing)
	}
	return nil
}

// delay is that after the nth failure, in milliseconds.
func (r *Retry) delay(failures int64) int64 {
	if r.Delay == nil {
		return 0
	}
	return max(0, r.Delay(int(min(failures, math.MaxInt32))).Milliseconds())
}

// verify looks whether the topics are there, and keep what is written to them.
func (r *Retry) verify(ctx context.Context, s *Store) error {
	names := []string{r.Topic}
	if r.DeadLetter != "" {
		names = append(names, r.DeadLetter)
	}
	topics, err := s.Topics(ctx, names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := topics[name].Err; err != nil {
			return err
		}
	}
	configs, err := s.topicConfigs(ctx, r.Topic, "cleanup.policy")
	if err != nil {
		return err
	}
	if slices.Contains(cleanupPolicies(configs), "compact") {
		return &TopicError{r.Topic, []TopicProblem{{"compacted", fmt.Sprintf(
			"cleanup.policy is %q: of the retries of one key, only the last would be kept", configs["cleanup.policy"])}}}
	}
	return nil
}
