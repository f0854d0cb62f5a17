// Command bareclient is the floor that gapctl is measured against: it makes
// the requests that `gapctl describe --all` makes and prints nothing.
//
//	bareclient ADDRESS [GROUP]
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"golang.org/x/sync/errgroup"
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

// groupsPerFetch is how many groups gapctl asks about at once. To ask for all in
// one request costs the broker twice the time.
const groupsPerFetch = 12

// commits describes the groups and fetches what they have committed; what it
// returns are the topics with their partitions, and the lowest commit of each.
func commits(ctx context.Context, client *kgo.Client, groups []string) (map[string]map[int32]int64, error) {
	describe := kmsg.NewPtrDescribeGroupsRequest()
	describe.Groups = groups
	if _, err := describe.RequestWith(ctx, client); err != nil {
		return nil, err
	}
	var told []*kmsg.OffsetFetchResponse
	var mu sync.Mutex
	var asking errgroup.Group
	for part := range slices.Chunk(groups, groupsPerFetch) {
		asking.Go(func() error {
			fetch := kmsg.NewPtrOffsetFetchRequest()
			fetch.RequireStable = true
			for _, name := range part {
				group := kmsg.NewOffsetFetchRequestGroup()
				group.Group = name
				fetch.Groups = append(fetch.Groups, group)
			}
			resp, err := fetch.RequestWith(ctx, client)
			mu.Lock()
			defer mu.Unlock()
			told = append(told, resp)
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	topics := map[string]map[int32]int64{}
	for _, resp := range told {
		for i := range resp.Groups {
			lowest(topics, &resp.Groups[i])
		}
	}
	return topics, nil
}

// lowest lowers what is in topics to what the group has committed.
func lowest(topics map[string]map[int32]int64, g *kmsg.OffsetFetchResponseGroup) {
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
