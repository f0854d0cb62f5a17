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
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.limits != nil {
		return *s.limits
	}
	l := limits{metadata: defaultMetadataLimit}
	const metadata, delivery = "offset.metadata.max.bytes", "group.share.delivery.count.limit"
	told := intConfigs(ctx, s.client, configsOf(kmsg.ConfigResourceTypeBroker, strconv.Itoa(int(s.broker)), metadata, delivery))
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
	var resources []kmsg.DescribeConfigsRequestResource
	for _, group := range groups {
		resources = append(resources, configsOf(kmsg.ConfigResourceTypeGroupConfig, group, delivery))
	}
	told := intConfigs(ctx, s.client, resources...)
	fallback := s.brokerLimits(ctx).delivery
	for _, group := range groups {
		byGroup[group] = fallback
		if n := told[group][delivery]; n > 0 {
			byGroup[group] = n
		}
	}
	return byGroup
}
