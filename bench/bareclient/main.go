// Command bareclient is the floor that gapctl is measured against: it makes
// the requests that `gapctl describe --all` makes and prints nothing. With -rows
// it also decodes what is committed and prints a line for each partition, as
// bluntly as can be: whatever shows the commits does at least that.
//
//	bareclient [-rows] ADDRESS [GROUP]
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"golang.org/x/sync/errgroup"

	"github.com/gapctl/gapctl/codec"
)

func main() {
	rows := flag.Bool("rows", false, "decode the commits and print them")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, flag.Arg(0), flag.Args()[1:], *rows); err != nil {
		fmt.Fprintln(os.Stderr, "bareclient:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, addr string, groups []string, rows bool) error {
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
	var list *kmsg.ListGroupsResponse
	var asking errgroup.Group
	asking.Go(func() (err error) {
		list, err = kmsg.NewPtrListGroupsRequest().RequestWith(ctx, client)
		return err
	})
	asking.Go(func() error { // there may be native commits
		_, err := topicsRequest(codec.NativeTopic).RequestWith(ctx, client)
		return err
	})
	if err := asking.Wait(); err != nil {
		return err
	}
	if len(groups) == 0 {
		for _, g := range list.Groups {
			groups = append(groups, g.Group)
		}
	}
	told, err := commits(ctx, client, groups)
	if err != nil {
		return err
	}
	topics := map[string]map[int32]int64{}
	for _, resp := range told {
		for i := range resp.Groups {
			lowest(topics, &resp.Groups[i])
		}
	}
	if err := ends(ctx, client, topics); err != nil {
		return err
	}
	if err := records(ctx, client, topics); err != nil || !rows {
		return err
	}
	return printRows(os.Stdout, told)
}

func topicsRequest(names ...string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	return req
}

// theBroker is the ID of the one broker that there is.
const theBroker = 1

// groupsPerFetch is how many groups gapctl asks about at once. To ask for all in
// one request costs the broker twice the time.
const groupsPerFetch = 12

// commits fetches what the groups have committed, and how long metadata may be. It
// asks the one broker that there is: a client that looks for coordinators and for
// topics on the way would not be bare.
func commits(ctx context.Context, client *kgo.Client, groups []string) ([]*kmsg.OffsetFetchResponse, error) {
	var told []*kmsg.OffsetFetchResponse
	var mu sync.Mutex
	var asking errgroup.Group
	asking.Go(func() error { return limit(ctx, client) })
	for part := range slices.Chunk(groups, groupsPerFetch) {
		asking.Go(func() error {
			fetch := kmsg.NewPtrOffsetFetchRequest()
			fetch.RequireStable = true
			for _, name := range part {
				group := kmsg.NewOffsetFetchRequestGroup()
				group.Group = name
				fetch.Groups = append(fetch.Groups, group)
			}
			resp, err := fetch.RequestWith(ctx, client.Broker(theBroker))
			mu.Lock()
			defer mu.Unlock()
			told = append(told, resp)
			return err
		})
	}
	return told, asking.Wait()
}

// limit asks how long metadata may be.
func limit(ctx context.Context, client *kgo.Client) error {
	req := kmsg.NewPtrDescribeConfigsRequest()
	broker := kmsg.NewDescribeConfigsRequestResource()
	broker.ResourceType = kmsg.ConfigResourceTypeBroker
	broker.ResourceName = strconv.Itoa(theBroker)
	broker.ConfigNames = []string{"offset.metadata.max.bytes"}
	req.Resources = append(req.Resources, broker)
	_, err := req.RequestWith(ctx, client)
	return err
}

// lowest lowers what is in topics, by partition, to what the group has committed.
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
	if _, err := topicsRequest(slices.Collect(maps.Keys(topics))...).RequestWith(ctx, client); err != nil {
		return err
	}
	var asking errgroup.Group
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
		asking.Go(func() error {
			_, err := req.RequestWith(ctx, client.Broker(theBroker))
			return err
		})
	}
	return asking.Wait()
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
	_, err := client.Broker(theBroker).Request(ctx, req)
	return err
}
