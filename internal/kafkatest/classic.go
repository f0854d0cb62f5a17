package kafkatest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ClassicOptions say what a plain Java consumer does.
type ClassicOptions struct {
	Group       string
	Topics      []string
	Protocol    string // "classic" (the default) or "consumer", as in KIP-848
	Assignor    string // for "classic": range (the default), roundrobin, sticky or cooperative-sticky
	Instance    string // the ID of a static member
	CommitEvery int    // commits after that many records; never when 0
	Metadata    string // of its commits
	Records     bool   // an event for each record too
	Limit       time.Duration
}

// ClassicEvent is what happened to the consumer: "assigned", "revoked" and
// "lost" have Partitions ("orders/0"); "starts" (the offset from which it reads
// a partition that it got), "record" and "committed" have Topic, Partition and
// Offset; "commit-failed" and "died" have Error; "closed" is the last.
type ClassicEvent struct {
	Event      string
	Partitions []string
	Topic      string
	Partition  int32
	Offset     int64
	Error      string
}

// Classic is a running plain consumer.
type Classic struct{ *program }

// StartClassic starts a plain Java consumer. It runs until Stop or Kill, or for
// 2 minutes unless Limit is set, and ends with the test. The consumer protocol
// skips before Apache Kafka 4.0.
func (b *Broker) StartClassic(opts ClassicOptions) *Classic {
	b.t.Helper()
	if opts.Protocol == "consumer" {
		b.NeedVersion(4, 0)
	}
	args := arguments{"--group", opts.Group, "--topics", strings.Join(opts.Topics, ",")}
	args.add("protocol", opts.Protocol)
	args.add("assignor", opts.Assignor)
	args.add("instance", opts.Instance)
	args.add("commit-every", strconv.Itoa(opts.CommitEvery))
	args.add("metadata", opts.Metadata)
	args.add("records", strconv.FormatBool(opts.Records))
	args.add("limit", millis(opts.Limit))
	return &Classic{b.runProgram("clients", "ClassicRun", args)}
}

// Events are the events so far, in order.
func (c *Classic) Events() []ClassicEvent {
	c.t.Helper()
	return decodeLines[ClassicEvent](c.program)
}

// Await returns the first event that matches, and fails the test when none has
// come within a minute or the consumer ended without one.
func (c *Classic) Await(what string, matches func(ClassicEvent) bool) ClassicEvent {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	var events []ClassicEvent
	at := -1
	if poll(ctx, func() bool {
		if !c.running() {
			cancel() // this look is the last
		}
		events = c.Events()
		at = slices.IndexFunc(events, matches)
		return at >= 0
	}) {
		return events[at]
	}
	c.t.Fatalf("kafkatest: no event: %s; events: %+v", what, events)
	return ClassicEvent{}
}

// AwaitEvent is Await for the first event of a kind.
func (c *Classic) AwaitEvent(kind string) ClassicEvent {
	c.t.Helper()
	return c.Await(kind, func(e ClassicEvent) bool { return e.Event == kind })
}

// Stop closes the consumer, which commits what it has read when it commits at
// all, leaves the group, and returns all events.
func (c *Classic) Stop() []ClassicEvent {
	c.t.Helper()
	c.end(stopGrace)
	return c.Events()
}

// Kill ends the consumer at once; the group keeps the member until its session
// of 6 s times out.
func (c *Classic) Kill() { c.end(0) }
