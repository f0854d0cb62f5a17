package cmd

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

// completionClient is a client for what is completed; nil when there is none to
// be had.
func (a *app) completionClient(ctx context.Context, c *connection) *kgo.Client {
	if c == nil {
		return nil
	}
	dial, err := a.dial(ctx, c)
	if err != nil {
		return nil
	}
	client, err := dial(kgo.RequestRetries(0))
	if err != nil {
		return nil
	}
	return client
}

// completeGroups are the groups of the cluster.
func (a *app) completeGroups(ctx context.Context, c *connection, _ string) []candidate {
	client := a.completionClient(ctx, c)
	if client == nil {
		return nil
	}
	defer client.Close()
	var found []candidate
	for _, shard := range client.RequestSharded(ctx, kmsg.NewPtrListGroupsRequest()) {
		if shard.Err != nil {
			continue
		}
		for _, g := range shard.Resp.(*kmsg.ListGroupsResponse).Groups {
			found = append(found, candidate{g.Group, strings.TrimSpace(strings.ToLower(g.GroupType + " " + g.GroupState))})
		}
	}
	return found
}

// topicPartitions are the topics of the cluster, or just the one that is named
// with a slash, and how many partitions they have. Topics of Kafka's own are
// only among them when asked for.
func (a *app) topicPartitions(ctx context.Context, c *connection, prefix string) map[string]int {
	client := a.completionClient(ctx, c)
	if client == nil {
		return nil
	}
	defer client.Close()
	req := kmsg.NewPtrMetadataRequest()
	if topic, _, ok := strings.Cut(prefix, "/"); ok {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(topic)
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil
	}
	found := map[string]int{}
	for _, t := range resp.Topics {
		if t.ErrorCode == 0 && t.Topic != nil && (!t.IsInternal || strings.HasPrefix(prefix, "_")) {
			found[*t.Topic] = len(t.Partitions)
		}
	}
	return found
}

// completeTopics are topics, and after a slash their partitions.
func (a *app) completeTopics(ctx context.Context, c *connection, prefix string) []candidate {
	return a.topicCandidates(ctx, c, prefix, "", "")
}

// completePartitions are partitions, of one topic after a slash, for an offset
// to follow.
func (a *app) completePartitions(ctx context.Context, c *connection, prefix string) []candidate {
	return a.topicCandidates(ctx, c, prefix, "/", "@")
}

// topicCandidates are topics, each with afterTopic behind it, or else, once
// prefix has a slash, partitions, each with afterPartition behind it.
func (a *app) topicCandidates(ctx context.Context, c *connection, prefix, afterTopic, afterPartition string) []candidate {
	var found []candidate
	for topic, partitions := range a.topicPartitions(ctx, c, prefix) {
		if !strings.Contains(prefix, "/") {
			found = append(found, candidate{topic + afterTopic, strconv.Itoa(partitions) + " partitions"})
			continue
		}
		for p := range partitions {
			found = append(found, candidate{topic + "/" + strconv.Itoa(p) + afterPartition, ""})
		}
	}
	return found
}

// completeContexts are the names of contexts.
func (a *app) completeContexts(context.Context, *connection, string) []candidate {
	f, err := a.contexts()
	if err != nil {
		return nil
	}
	var found []candidate
	for _, c := range f.contexts {
		about := ""
		for _, e := range c.entries {
			if e.key == propBootstrap {
				about = e.value
			}
		}
		found = append(found, candidate{c.name, about})
	}
	return found
}

// completeJournal are the repairs that the journal knows.
func (a *app) completeJournal(context.Context, *connection, string) []candidate {
	journal, err := a.journal()
	if err != nil {
		return nil
	}
	entries, _, err := journal.Entries()
	if err != nil {
		return nil
	}
	var found []candidate
	for _, e := range entries {
		found = append(found, candidate{e.ID, e.Plan.Group + ", " + e.At.UTC().Format(time.DateTime)})
	}
	return found
}

// completeFormats are the formats that gaps can be written in.
func completeFormats(context.Context, *connection, string) []candidate {
	var found []candidate
	for _, f := range codec.Formats() {
		if f.Writable() {
			found = append(found, candidate{f.Name, f.Writer})
		}
	}
	return found
}

// completeProperties are the properties that -X takes.
func completeProperties(context.Context, *connection, string) []candidate {
	var found []candidate
	for _, p := range properties {
		names := []string{p.name}
		if p.secret {
			names = []string{p.name + fromFile, p.name + fromCommand}
		}
		for _, name := range names {
			if _, known := lookupProperty(name); known {
				found = append(found, candidate{name + "=", p.meaning})
			}
		}
	}
	return found
}
