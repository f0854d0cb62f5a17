package codec

import "encoding/binary"

// pcUnreleased says what becomes of a map that only unreleased code reads.
const pcUnreleased = "no released Parallel Consumer reads it: up to 0.5 it stops when it is assigned the partition, and 0.6 processes everything from the committed offset again"

// byteArray is the body of ByteArrayEncoder: a byte for each offset, 1 when
// complete, and a spare zero byte. Parallel Consumer knows the magic byte, but
// neither writes nor loads the body.
type byteArray struct{}

func (byteArray) read(r *pcReading, body []byte) error {
	r.note("unloadable", "Parallel Consumer can not load this encoding: up to 0.5 it stops when it is assigned the partition, and 0.6 processes everything from the committed offset again")
	if n := len(body); n > 0 && body[n-1] == 0 {
		body = body[:n-1]
	}
	if err := r.describe(int64(len(body))); err != nil {
		return err
	}
	gaps, complete := 0, byte(1)
	for i, b := range body {
		if b > 1 {
			return r.corrupt(r.at+i, "byte 0x%02x is neither 0 nor 1", b)
		}
		gaps += int(complete &^ b)
		complete = b
	}
	found, err := r.reserve(gaps)
	if err != nil {
		return err
	}
	for i, b := range body {
		if at := r.base + int64(i); b == 0 {
			found = appendJoined(found, Range{at, at + 1})
		}
	}
	r.gaps = found
	return nil
}

// deltaList is a body of the fork's unreleased pull request 306: the number of
// offsets (4 bytes), the number of incomplete ones, and the distance of each
// from the one before, the first from position 0; the latter as LEB128.
type deltaList struct{}

func (deltaList) read(r *pcReading, body []byte) error {
	r.note("unreleased-encoding", "%s", pcUnreleased)
	n, err := r.readLength(body, 4)
	if err != nil {
		return err
	}
	at := 4
	count, used := binary.Uvarint(body[at:])
	if used <= 0 {
		return r.corrupt(r.at+at, "the count is cut off or too large")
	}
	at += used
	if left := len(body) - at; count > uint64(left) {
		return r.corrupt(r.at+at, "%d distances in %d bytes", count, left)
	}
	found, err := r.reserve(int(count))
	if err != nil {
		return err
	}
	position := int64(-1)
	for i := range count {
		delta, used := binary.Uvarint(body[at:])
		switch {
		case used <= 0:
			return r.corrupt(r.at+at, "a distance is cut off or too large")
		case i == 0:
			delta++ // the first counts from position 0, and not from -1
		}
		if delta == 0 || delta > uint64(n-1-position) {
			return r.corrupt(r.at+at, "the distance leads to the same offset again or beyond the %d offsets", n)
		}
		position += int64(delta)
		found = appendJoined(found, Range{r.base + position, r.base + position + 1})
		at += used
	}
	r.gaps = found
	if at < len(body) {
		return r.corrupt(r.at+at, "%d bytes follow the last distance", len(body)-at)
	}
	return nil
}

// envelopeMagic begins a payload of the fork's unreleased pull request 460: the
// length of a rider (2 bytes), the rider, which belongs to the application, and
// then a whole payload or nothing.
const envelopeMagic = 'X'

func (r *pcReading) readEnvelope(body []byte) error {
	if r.encoding != "" {
		return r.corrupt(r.at-1, "an envelope inside an envelope")
	}
	r.encoding = "envelope"
	if len(body) < 2 {
		return r.corrupt(r.at+len(body), "the length of the rider is cut off")
	}
	rider, body := int(binary.BigEndian.Uint16(body)), body[2:]
	if rider > len(body) {
		return r.corrupt(r.at, "a rider of %d bytes in %d", rider, len(body))
	}
	inner := body[rider:]
	r.note("envelope", "an envelope with %d bytes of the application's around the map: %s", rider, pcUnreleased)
	if len(inner) > 0 {
		return r.readPayload(inner)
	}
	if rider == 0 {
		r.note("map-dropped", "the map was too large and was left out: everything from the committed offset is processed again")
	}
	return nil
}
