package gapstore

import (
	"context"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// configsOf is what to ask for: configs of one broker, topic or group, by name.
func configsOf(kind kmsg.ConfigResourceType, resource string, names ...string) kmsg.DescribeConfigsRequestResource {
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType, r.ResourceName, r.ConfigNames = kind, resource, names
	return r
}

// topicConfigs are the named configs of a topic.
func (s *Store) topicConfigs(ctx context.Context, topic string, names ...string) (map[string]string, error) {
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources = append(req.Resources, configsOf(kmsg.ConfigResourceTypeTopic, topic, names...))
	op := "read the configuration of topic " + topic
	resp, err := req.RequestWith(ctx, s.client)
	if err != nil {
		return nil, s.Failure(op, err)
	}
	values := map[string]string{}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return nil, lacking(op, "DESCRIBE_CONFIGS on topic "+topic, err)
		}
		for _, c := range r.Configs {
			values[c.Name] = deref(c.Value)
		}
	}
	return values, nil
}

// cleanupPolicies are those of a topic with these configs: "compact", "delete".
func cleanupPolicies(configs map[string]string) []string {
	return strings.Split(strings.ReplaceAll(configs["cleanup.policy"], " ", ""), ",")
}

// intConfigs are configs that are numbers, by resource and name, as far as the
// brokers tell them.
func intConfigs(ctx context.Context, cl *kgo.Client, resources ...kmsg.DescribeConfigsRequestResource) map[string]map[string]int {
	req := kmsg.NewPtrDescribeConfigsRequest()
	req.Resources = resources
	told := map[string]map[string]int{}
	for _, shard := range cl.RequestSharded(ctx, req) {
		if shard.Err != nil {
			continue
		}
		for _, r := range shard.Resp.(*kmsg.DescribeConfigsResponse).Resources {
			if r.ErrorCode != 0 {
				continue
			}
			values := map[string]int{}
			for _, c := range r.Configs {
				if c.Value == nil {
					continue
				}
				if n, err := strconv.Atoi(*c.Value); err == nil {
					values[c.Name] = n
				}
			}
			told[r.ResourceName] = values
		}
	}
	return told
}
