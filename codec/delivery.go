package codec

import "fmt"

// DeliveryState is the state that a share group keeps per record (KIP-932).
type DeliveryState int8

// The delivery states as persisted by Kafka's share coordinator. Acquired is
// never persisted; Archiving is reserved (KIP-1191).
const (
	Available    DeliveryState = 0
	Acquired     DeliveryState = 1
	Acknowledged DeliveryState = 2
	Archiving    DeliveryState = 3
	Archived     DeliveryState = 4
	// Unknown stands for offsets that the persisted state does not cover:
	// fetched and in flight, or not fetched yet, or not in the log.
	Unknown DeliveryState = -1
)

// Terminal reports whether a record in this state is finished: acknowledged,
// or archived (rejected, or its delivery limit reached).
func (d DeliveryState) Terminal() bool { return d == Acknowledged || d == Archived }

// String is the state as the JSON output names it.
func (d DeliveryState) String() string {
	switch d {
	case Available:
		return "available"
	case Acquired:
		return "acquired"
	case Acknowledged:
		return "acknowledged"
	case Archiving:
		return "archiving"
	case Archived:
		return "archived"
	case Unknown:
		return "in-flight-or-unfetched"
	}
	return fmt.Sprintf("state-%d", int8(d))
}

// Delivery is one range of records of a share partition with equal state and
// delivery count.
type Delivery struct {
	Range
	State DeliveryState
	Count int16 // deliveries so far; 0 where unknown
}
