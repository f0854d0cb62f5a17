package gapstore

import (
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/codec"
)

func TestHeldSlots(t *testing.T) {
	half := codec.Range{End: pointSpace / 2}
	shared := assignment{slot: 7, shares: []share{
		{place: place{"orders", 0}, points: half, keeper: true, others: []uint32{3}},
		{place: place{"orders", 1}, points: half},
	}}
	plain := kmsg.NewConsumerMemberAssignment()
	plain.Topics = []kmsg.ConsumerMemberAssignmentTopic{{Topic: "orders", Partitions: []int32{4}}}
	for name, c := range map[string]struct {
		data []byte
		want []HeldSlot
	}{
		"shared": {shared.append(nil), []HeldSlot{{"orders", 0, 0}, {"orders", 1, 7}}},
		"plain":  {plain.AppendTo(nil), []HeldSlot{{"orders", 4, 0}}},
		"none":   {nil, nil},
		"bad":    {[]byte{0, 1, 0xff, 0xff, 0xff, 0xff}, nil},
	} {
		if got := HeldSlots(c.data); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
