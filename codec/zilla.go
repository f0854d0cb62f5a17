package codec

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

const zillaName = "zilla"

// zilla is what Aklivity zilla's mqtt-kafka binding commits: the MQTT packet
// identifiers of QoS 2 exchanges that are under way. It holds no gaps.
//
//	metadata  = lower-case hex( subscribe v1 | subscribe v2 | publish )
//	subscribe = 1, int8 count, count times int16   or   2, int16 count, count times int16
//	publish   = 1, int64 producer id, int16 producer epoch, int8 count, count times int16
//
// Integers are in the byte order of the machine that wrote them, so both are
// tried; the length must fit exactly.
var zilla = Format{
	Name:    zillaName,
	Carrier: CommitMetadata,
	Foreign: true,
	Writer:  "Aklivity zilla, mqtt-kafka binding",
	match: func(metadata string) bool {
		_, _, ok := readZilla(metadata)
		return ok
	},
	decode: func(metadata string, committed int64) (Decoded, error) {
		side, packets, ok := readZilla(metadata)
		if !ok {
			return Decoded{}, &Error{Class: ErrCorrupt, Format: zillaName, Position: -1, Reason: "not a list of packet identifiers"}
		}
		return foreignDecoded(committed, "zilla mqtt-kafka: %d packets of unfinished MQTT QoS 2 exchanges, %s side", packets, side), nil
	},
}

// readZilla is the side that wrote, and the number of its packet identifiers.
func readZilla(metadata string) (side string, packets int, ok bool) {
	raw, err := hex.DecodeString(metadata)
	if err != nil || len(raw) < 2 || metadata != strings.ToLower(metadata) {
		return "", 0, false
	}
	switch n := len(raw); {
	case raw[0] == 1 && n == 2+2*int(raw[1]):
		return "subscribe", int(raw[1]), true
	case raw[0] == 1 && n >= 12 && n == 12+2*int(raw[11]):
		return "publish", int(raw[11]), true
	case raw[0] == 2 && n >= 3:
		little, big := binary.LittleEndian.Uint16(raw[1:]), binary.BigEndian.Uint16(raw[1:])
		packets = (n - 3) / 2
		return "subscribe", packets, n == 3+2*int(little) || n == 3+2*int(big)
	}
	return "", 0, false
}
