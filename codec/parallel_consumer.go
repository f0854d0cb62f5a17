package codec

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const parallelConsumerName = "parallel-consumer"

// parallelConsumer is the offset map of confluentinc/parallel-consumer and of
// its fork astubbs/parallel-consumer: base64 of a magic byte and a body, which
// says of every offset from the committed one upwards whether it is complete.
// See OffsetEncoding, OffsetMapCodecManager and the On*OffsetEncoder classes.
var parallelConsumer = Format{
	Name:      parallelConsumerName,
	Carrier:   CommitMetadata,
	Writer:    "Confluent Parallel Consumer (0.1 and later) and its fork (0.6 and later)",
	Encodings: pcEncodings(),
	match:     matchParallelConsumer,
	begins:    beginsParallelConsumer,
	decode:    decodeParallelConsumer,
	smallest:  smallestParallelConsumer,
}

// pcBody is one way of writing a map after the magic byte.
type pcBody interface {
	// read fills r.n, and r.gaps or r.near, and notes what is unusual.
	read(r *pcReading, body []byte) error
}

// pcLayout ties a magic byte to a body, compressed with zstd or not.
type pcLayout struct {
	name  string
	magic byte
	body  pcBody
	zstd  bool
}

// pcLayouts are in the order in which they are tried when writing: what never
// costs more than the gaps do, then what may cost as much as the span.
var pcLayouts = [...]pcLayout{
	{"run-length-v1", 'n', runLength{2}, false},
	{"run-length-v2", 'e', runLength{4}, false},
	{"bit-set-v1", 'l', bitSet{2}, false},
	{"bit-set-v2", 'o', bitSet{4}, false},
	{"run-length-v1-zstd", 'J', runLength{2}, true},
	{"run-length-v2-zstd", 'p', runLength{4}, true},
	{"bit-set-v1-zstd", 'a', bitSet{2}, true},
	{"bit-set-v2-zstd", 's', bitSet{4}, true},
	{"byte-array", 'L', byteArray{}, false},
	{"byte-array-zstd", 0xee, byteArray{}, true},
	{"delta-list", 'd', deltaList{}, false},
	{"delta-list-zstd", 'D', deltaList{}, true},
}

func pcLayoutOf(magic byte) (*pcLayout, bool) {
	for i := range pcLayouts {
		if pcLayouts[i].magic == magic {
			return &pcLayouts[i], true
		}
	}
	return nil, false
}

func isPCMagic(b byte) bool {
	_, ok := pcLayoutOf(b)
	return ok || b == envelopeMagic
}

// beginsParallelConsumer decodes the first byte.
func beginsParallelConsumer(metadata string) bool {
	if z85, ok := strings.CutPrefix(metadata, z85Prefix); ok {
		return beginsZ85(z85)
	}
	if len(metadata) < 2 {
		return false
	}
	first, second := sextets[metadata[0]], sextets[metadata[1]]
	return first != noDigit && second != noDigit && isPCMagic(first<<2|second>>4)
}

// matchParallelConsumer looks at the alphabet as well.
func matchParallelConsumer(metadata string) bool {
	if !beginsParallelConsumer(metadata) {
		return false
	}
	if z85, ok := strings.CutPrefix(metadata, z85Prefix); ok {
		return within(z85, &z85Values)
	}
	return within(strings.TrimSuffix(strings.TrimSuffix(metadata, "="), "="), &sextets)
}

// pcReading is the reading of one map. It is reused, so that its buffers are.
type pcReading struct {
	base     int64  // the committed offset, to which position 0 corresponds
	encoding string // name of the encoding; "" until it is known
	at       int    // position of the body in the payload, as if not compressed
	maxGaps  int    // more than this is refused

	n         int64      // offsets that the map describes
	gaps      []Range    // the incomplete ones, sorted and disjoint
	near      nearRanges // instead of gaps: the first starts at base
	room      spanRoom   // for the gaps of this map and of those to come
	anomalies []Anomaly

	payload, body []byte // buffers: the decoded text, the decompressed body
	decoder       *zstd.Decoder
}

var pcReadings = sync.Pool{New: func() any { return new(pcReading) }}

// The bounds of what one map may cost. A zstd frame of twenty characters can
// hold half a million gaps and one of 4,096 can hold 100 MiB, so neither the
// claim nor the expanded size may be trusted.
const (
	// pcMaxBody bounds a body, in bytes: 67 million bits, or 2 million runs.
	// Parallel Consumer would only choose a larger one, within its 4,096
	// characters, when millions of records fail in a regular pattern: few gaps
	// in a wide span are smaller as runs, and many irregular ones do not fit.
	pcMaxBody = 8 << 20
	// Gaps cost memory; a regular pattern packs very many into few characters.
	// So the bound is generous for the least text and grows with it, up to
	// 1.1 million for 4,096 characters.
	pcGapsPerMap       = 1 << 16
	pcGapsPerCharacter = 256
	// pcKeptBuffer is the largest buffer kept for the next map.
	pcKeptBuffer = 64 << 10
	// pcKeptGaps is the same for gaps, in number: as many as the bits in 4,096
	// characters can hold.
	pcKeptGaps = 4096 * 6 / 2
	// pcHugeSpan is more offsets than a map is likely to be right about.
	pcHugeSpan = 1 << 30
)

func pcMaxGaps(characters int) int { return pcGapsPerMap + pcGapsPerCharacter*characters }

// decodeParallelConsumer reads no metadata as no gaps, which is how Parallel
// Consumer writes them.
func decodeParallelConsumer(metadata string, committed int64) (d Decoded, err error) {
	if metadata == "" {
		return Decoded{State: Complete(committed)}, nil
	}
	r := pcReadings.Get().(*pcReading)
	defer r.release()
	r.base, r.maxGaps = committed, pcMaxGaps(len(metadata))
	if err := r.readText(metadata); err != nil {
		return Decoded{}, err
	}
	if err := r.readPayload(r.payload); err != nil {
		return Decoded{}, err
	}
	bounds := r.keep(&d.State.Gaps)
	r.noteWhole(bounds)
	d.State.Max = committed + r.n
	d.State.Stable = d.State.Max
	if !bounds.Empty() {
		d.State.Stable = bounds.Start
	}
	d.Encoding, d.Anomalies, d.Size = r.encoding, r.anomalies, len(metadata) // it is ASCII
	return d, nil
}

// release gives r back without what it has handed out.
func (r *pcReading) release() {
	r.encoding, r.n, r.anomalies = "", 0, nil
	r.near.spans, r.gaps, r.payload, r.body = r.near.spans[:0], r.gaps[:0], r.payload[:0], r.body[:0]
	if cap(r.payload) > pcKeptBuffer {
		r.payload = nil
	}
	if cap(r.body) > pcKeptBuffer {
		r.body = nil
	}
	if cap(r.near.spans) > pcKeptGaps {
		r.near.spans = nil
	}
	if cap(r.gaps) > pcKeptGaps {
		r.gaps = nil
	}
	pcReadings.Put(r)
}

// keep copies the gaps to kept, which is empty, and returns what bounds them.
func (r *pcReading) keep(kept *Ranges) (bounds Range) {
	if n := len(r.near.spans); n > 0 {
		r.near.base, r.near.end = r.base, r.base+int64(r.near.spans[n-1].span().hi)
		*kept = r.near.keep(&r.room)
		return Range{r.near.base, r.near.end}
	}
	if n := len(r.gaps); n > 0 {
		*kept = keepRanges(r.gaps, &r.room)
		return Range{r.gaps[0].Start, r.gaps[n-1].End}
	}
	return Range{}
}

// spread is the gaps one by one, and no longer near.
func (r *pcReading) spread() []Range {
	r.near.base = r.base
	found := r.near.appendTo(r.gaps[:0])
	r.near.spans = r.near.spans[:0]
	return found
}

// readPayload reads magic and body; payload ends r.payload.
func (r *pcReading) readPayload(payload []byte) error {
	r.at = len(r.payload) - len(payload) + 1
	if len(payload) == 0 {
		return r.corrupt(r.at-1, "no magic byte")
	}
	if payload[0] == envelopeMagic {
		return r.readEnvelope(payload[1:])
	}
	l, ok := pcLayoutOf(payload[0])
	if !ok {
		return r.corrupt(r.at-1, "unknown magic byte 0x%02x", payload[0])
	}
	r.encoding = l.name
	body := payload[1:]
	if l.zstd {
		if err := r.decompress(body); err != nil {
			return err
		}
		body = r.body
	}
	return l.body.read(r, body)
}

// describe sets how many offsets the map describes.
func (r *pcReading) describe(n int64) error {
	if r.base > math.MaxInt64-n {
		return r.corrupt(-1, "%d offsets from %d reach beyond the largest offset", n, r.base)
	}
	r.n = n
	return nil
}

// reserve is room for n gaps; readers fill it as a local, because it is what
// they write most.
func (r *pcReading) reserve(n int) ([]Range, error) {
	if n > r.maxGaps {
		return nil, r.tooMany(n)
	}
	if cap(r.gaps) < n {
		r.gaps = make([]Range, 0, n)
	}
	return r.gaps[:0], nil
}

func (r *pcReading) tooMany(gaps int) error {
	return &Error{Class: ErrTooLarge, Format: parallelConsumerName, Encoding: r.encoding, Position: -1, Need: gaps, Limit: r.maxGaps,
		Reason: fmt.Sprintf("%d gaps, the limit for a text of this length is %d", gaps, r.maxGaps)}
}
