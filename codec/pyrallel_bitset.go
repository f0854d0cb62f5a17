package codec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// decodePyrallelB tells the two B encodings apart. Text of 0 and 1 alone may
// be either: an odd length is no hex, and text that looks much like bits is
// not guessed at, for the two readings skip different records.
func decodePyrallelB(metadata string, committed int64) (Decoded, error) {
	_, payload, _ := strings.Cut(metadata, ":")
	if strings.Trim(payload, "01") != "" {
		return decodePyrallelBitset(metadata, committed)
	}
	if len(payload)%2 == 1 || payload == "" {
		return decodePyrallelBits(metadata, committed)
	}
	asBits, err := decodePyrallelBits(metadata, committed)
	if err != nil {
		return Decoded{}, err
	}
	asHex, err := decodePyrallelBitset(metadata, committed)
	if err != nil {
		return Decoded{}, err
	}
	other := fmt.Sprintf("as bits of an older version %s", reading(asBits.State))
	if len(payload) > 8 && strings.HasSuffix(payload, "1") {
		return Decoded{}, &Error{Class: ErrAmbiguous, Format: pyrallelName, Position: strings.Index(metadata, ":") + 1, Reason: fmt.Sprintf(
			"the digits can be read in two ways: as a hexadecimal bitset %s; %s; --format pyrallel --encoding bitset, or bits, settles it", reading(asHex.State), other)}
	}
	asHex.Anomalies = append(asHex.Anomalies, Anomaly{"ambiguous", "read as a hexadecimal bitset; " + other})
	return asHex, nil
}

// reading is s in a few words.
func reading(s State) string {
	return fmt.Sprintf("(stable %d, max %d, %d outstanding)", s.Stable, s.Max, s.Outstanding())
}

func decodePyrallelBitset(metadata string, committed int64) (Decoded, error) {
	p, base := pyrallelBase("bitset", metadata)
	raw, err := hex.DecodeString(p.text[p.at:])
	var wrong hex.InvalidByteError
	switch {
	case errors.As(err, &wrong):
		p.fail(p.at+strings.IndexByte(p.text[p.at:], byte(wrong)), "%q is no hexadecimal digit", byte(wrong))
	case err != nil:
		p.fail(len(p.text), "half a byte: an odd number of hexadecimal digits")
	}
	return p.bitSet(base, committed, 8*len(raw), func(i int) bool { return raw[i/8]>>(i%8)&1 == 1 })
}

func decodePyrallelBits(metadata string, committed int64) (Decoded, error) {
	p, base := pyrallelBase("bits", metadata)
	bits := p.text[p.at:]
	if i := strings.IndexFunc(bits, func(r rune) bool { return r != '0' && r != '1' }); i >= 0 {
		p.fail(p.at+i, "%q is neither 0 nor 1", bits[i])
	}
	d, err := p.bitSet(base, committed, len(bits), func(i int) bool { return bits[i] == '1' })
	if err == nil && bits == "" {
		d.Anomalies = append(d.Anomalies, Anomaly{"overflow",
			"no bits: an older version writes this when there is too much to store, so every record from the committed offset on will be processed again"})
	}
	return d, err
}

// pyrallelBase reads "B" base ":".
func pyrallelBase(encoding, metadata string) (*textParser, int64) {
	p := pyrallelParser(encoding, metadata)
	if !strings.HasPrefix(metadata, "B") {
		p.fail(0, "the text does not begin with B")
	}
	base := p.number()
	p.expect(':')
	return p, base
}

// bitSet is what n bits from base on mean; a bit that is set is completed.
func (p *textParser) bitSet(base, committed int64, n int, set func(i int) bool) (Decoded, error) {
	if base+int64(n) < base {
		p.fail(1, "the bits reach beyond the largest offset")
	}
	if p.err != nil {
		return Decoded{}, p.err
	}
	var done []Range
	for i := range n {
		if set(i) {
			done = appendJoined(done, Range{base + int64(i), base + int64(i) + 1})
		}
	}
	d := pyrallelDone(p.encoding, done, committed)
	if base != committed {
		d.Anomalies = append(d.Anomalies, Anomaly{"base-differs", fmt.Sprintf(
			"the bits count from %d, but the committed offset is %d: the two were not written together", base, committed)})
	}
	return d, nil
}
