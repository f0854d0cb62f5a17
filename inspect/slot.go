package inspect

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// FindSlotHolders fills in who writes which slot, for the partitions of s that
// several members consume together. It asks nothing where there are none, or no
// members. The error is that it can not be told; s stays as it was then.
func FindSlotHolders(ctx context.Context, store *gapstore.Store, s *Snapshot) error {
	req := kmsg.NewPtrDescribeGroupsRequest()
	for i := range s.Groups {
		if g := &s.Groups[i]; len(g.Members) > 0 && g.consumesTogether() {
			req.Groups = append(req.Groups, g.Name)
		}
	}
	if len(req.Groups) == 0 {
		return nil
	}
	holders := map[string]map[gapstore.HeldSlot]Member{}
	for _, shard := range store.Client().RequestSharded(ctx, req) {
		if shard.Err != nil {
			return store.RequestFailure("describe groups", shard.Req.Key(), shard.Err)
		}
		for _, g := range shard.Resp.(*kmsg.DescribeGroupsResponse).Groups {
			if kerr.ErrorForCode(g.ErrorCode) == nil {
				holders[g.Group] = slotHolders(g.Members)
			}
		}
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		for k := range g.Partitions {
			g.Partitions[k].holders = holders[g.Name]
		}
	}
	return nil
}

// consumesTogether reports whether members share a partition, or did.
func (g *Group) consumesTogether() bool {
	for i := range g.Partitions {
		if g.Partitions[i].sharesSlots() {
			return true
		}
	}
	return false
}

// sharesSlots reports whether more than the first slot counts for p.
func (p *Partition) sharesSlots() bool {
	return p.Home == gapstore.HomeNative && (len(p.Slots) > 1 || len(p.Slots) == 1 && p.Slots[0].Slot != 0)
}

func slotHolders(members []kmsg.DescribeGroupsResponseGroupMember) map[gapstore.HeldSlot]Member {
	holders := map[gapstore.HeldSlot]Member{}
	for _, m := range members {
		var d description
		d.add(m.MemberID, m.InstanceID, m.ClientID, m.ClientHost)
		for _, held := range gapstore.HeldSlots(m.MemberAssignment) {
			holders[held] = d.members[0]
		}
	}
	return holders
}
