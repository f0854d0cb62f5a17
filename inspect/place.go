package inspect

import "strconv"

// place is one partition of a topic, whichever groups have commits for it.
type place struct {
	topic     string
	partition int32
}

func (p *Partition) place() place { return place{p.Topic, p.Partition} }

// String is the place as people write it: "orders/3".
func (at place) String() string { return string(at.appendTo(nil)) }

func (at place) appendTo(b []byte) []byte {
	return strconv.AppendInt(append(append(b, at.topic...), '/'), int64(at.partition), 10)
}
