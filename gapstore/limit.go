package gapstore

import (
	"context"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// defaultMetadataLimit is offset.metadata.max.bytes where the broker does not
// tell (GroupCoordinatorConfig.OFFSET_METADATA_MAX_SIZE_DEFAULT).
const defaultMetadataLimit = 4096

// limits are what the brokers accept.
type limits struct {
	metadata int // UTF-16 units of a commit's metadata
	delivery int // deliveries of a record to a share group; 0 when not known
}

// brokerLimits asks a broker once; where it may not be asked, what it does not
// tell has its default.
func (s *Store) brokerLimits(ctx context.Context) limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits != nil {
		return *s.limits
	}
	l := limits{metadata: defaultMetadataLimit}
	const metadata, delivery = "offset.metadata.max.bytes", "group.share.delivery.count.limit"
	told := s.intConfigs(ctx, kmsg.ConfigResourceTypeBroker, []string{strconv.Itoa(int(s.broker))}, metadata, delivery)
	for _, values := range told {
		if n := values[metadata]; n > 0 {
			l.metadata = n
		}
		l.delivery = values[delivery]
		s.limits = &l
	}
	return l
}

// deliveryLimits are the delivery limits of share groups; 0 where not known.
func (s *Store) deliveryLimits(ctx context.Context, groups []string) map[string]int {
	const delivery = "share.delivery.count.limit"
	byGroup := map[string]int{}
	told := s.intConfigs(ctx, kmsg.ConfigResourceTypeGroupConfig, groups, delivery)
	fallback := s.brokerLimits(ctx).delivery
	for _, group := range groups {
		byGroup[group] = fallback
		if n := told[group][delivery]; n > 0 {
			byGroup[group] = n
		}
	}
	return byGroup
}

// intConfigs are the named configs of resources, by resource, as far as the
// brokers tell them.
func (s *Store) intConfigs(ctx context.Context, kind kmsg.ConfigResourceType, resources []string, names ...string) map[string]map[string]int {
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, resource := range resources {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName, r.ConfigNames = kind, resource, names
		req.Resources = append(req.Resources, r)
	}
	told := map[string]map[string]int{}
	for _, shard := range s.client.RequestSharded(ctx, req) {
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
