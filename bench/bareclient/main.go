// Command bareclient is the floor that gapctl is measured against: it makes
// the requests that `gapctl describe --all` makes and prints nothing.
//
//	bareclient ADDRESS [GROUP]
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bareclient:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, groups []string) error {
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(kmsg.OffsetFetch.Int16(), 9) // as gapctl: v10 leaves out deleted topics
	versions.SetMaxKeyVersion(kmsg.Fetch.Int16(), 12)      // by name, which is simpler here
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.MaxVersions(versions))
	if err != nil {
		return err
	}
	defer client.Close()
	cluster := kmsg.NewPtrMetadataRequest()
	cluster.Topics = []kmsg.MetadataRequestTopic{}
	if _, err := cluster.RequestWith(ctx, client); err != nil {
		return err
	}
	list, err := kmsg.NewPtrListGroupsRequest().RequestWith(ctx, client)
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		for _, g := range list.Groups {
			groups = append(groups, g.Group)
		}
	}
	limit := kmsg.NewPtrDescribeConfigsRequest()
	broker := kmsg.NewDescribeConfigsRequestResource()
	broker.ResourceType = kmsg.ConfigResourceTypeBroker
	broker.ResourceName = "1"
	broker.ConfigNames = []string{"offset.metadata.max.bytes"}
	limit.Resources = append(limit.Resources, broker)
	if _, err := limit.RequestWith(ctx, client); err != nil {
		return err
	}
	topics, err := commits(ctx, client, groups)
	if err != nil {
		return err
	}
	if err := ends(ctx, client, topics); err != nil {
		return err
	}
	return records(ctx, client, topics)
}

// commits describes the groups and fetches what they have committed; what it
// returns are the topics with their partitions, and the lowest commit of each.
func commits(ctx context.Context, client *kgo.Client, groups []string) (map[string]map[int32]int64, error) {
	describe, fetch := kmsg.NewPtrDescribeGroupsRequest(), kmsg.NewPtrOffsetFetchRequest()
	fetch.RequireStable = true
	describe.Groups = groups
	for _, name := range groups {
		group := kmsg.NewOffsetFetchRequestGroup()
		group.Group = name
		fetch.Groups = append(fetch.Groups, group)
	}
	if _, err := describe.RequestWith(ctx, client); err != nil {
		return nil, err
	}
	told, err := fetch.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	topics := map[string]map[int32]int64{}
	for _, g := range told.Groups {
		for _, t := range g.Topics {
			if topics[t.Topic] == nil {
				topics[t.Topic] = map[int32]int64{}
			}
			for _, p := range t.Partitions {
				if lowest, ok := topics[t.Topic][p.Partition]; !ok || p.Offset < lowest {
					topics[t.Topic][p.Partition] = p.Offset
				}
			}
		}
	}
	return topics, nil
}

// ends asks for the topics, and for the three ends of their logs.
func ends(ctx context.Context, client *kgo.Client, topics map[string]map[int32]int64) error {
	metadata := kmsg.NewPtrMetadataRequest()
	for name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		metadata.Topics = append(metadata.Topics, t)
	}
	if _, err := metadata.RequestWith(ctx, client); err != nil {
		return err
	}
	for _, ask := range []struct {
		timestamp int64
		isolation int8
	}{{-2, 0}, {-1, 0}, {-1, 1}} {
		req := kmsg.NewPtrListOffsetsRequest()
		req.IsolationLevel = ask.isolation
		for name, partitions := range topics {
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = name
			for number := range partitions {
				p := kmsg.NewListOffsetsRequestTopicPartition()
				p.Partition, p.Timestamp = number, ask.timestamp
				t.Partitions = append(t.Partitions, p)
			}
			req.Topics = append(req.Topics, t)
		}
		if _, err := req.RequestWith(ctx, client); err != nil {
			return err
		}
	}
	return nil
}

// records reads what lies at the lowest commits, where the oldest gaps are.
func records(ctx context.Context, client *kgo.Client, topics map[string]map[int32]int64) error {
	req := kmsg.NewPtrFetchRequest()
	req.MaxBytes, req.IsolationLevel = 4<<20, 1
	for name, partitions := range topics {
		t := kmsg.NewFetchRequestTopic()
		t.Topic = name
		for number, offset := range partitions {
			p := kmsg.NewFetchRequestTopicPartition()
			p.Partition, p.FetchOffset, p.PartitionMaxBytes = number, offset, 32<<10
			t.Partitions = append(t.Partitions, p)
		}
		req.Topics = append(req.Topics, t)
	}
	_, err := client.Broker(1).Request(ctx, req)
	return err
}
