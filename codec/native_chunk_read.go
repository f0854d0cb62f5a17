package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// maxRunLengths bounds the body of containerZstd once decompressed: the run
// lengths add up to a window at most, one of two bytes is 129 or more, and
// their number takes three bytes at most.
const maxRunLengths = NativeWindow + 3

// chunkReader reads chunk values. It keeps its scratch memory from one chunk
// to the next; a chunk read is good until the next is.
type chunkReader struct {
	spans    []span
	filtered []span
	set      windowSet
	rice     riceReader // its values also hold what zstd gives
	raw      []byte
	zstd     *zstd.Decoder
	written  container // of the chunk read last
}

// read decodes the value of the chunk of a window. The chunk may claim whole
// windows beyond any offset's; it costs one range, and a span costs two bits
// of the value at least, unless a lag or zstd is at work: then one window's
// spans are the bound.
func (d *chunkReader) read(window int64, value []byte) (windowChunk, error) {
	r := nativeReader{data: value}
	r.version()
	flags := r.byte("container")
	c := windowChunk{window: window}
	if flags&chunkHasFull != 0 {
		c.full = int64(r.positive(uint64(windowLimit-1-window), "full windows"))
	}
	var f filter
	if flags&chunkHasLag != 0 {
		f.lag = uint32(r.positive(NativeWindow-1, "lag"))
	}
	if flags&chunkHasStride != 0 {
		f.stride = uint32(r.positive(NativeWindow-1, "stride"))
	}
	if f.stride == 1 || (f.lag > 0 && f.stride > 0) {
		r.fail("stride %d with lag %d", f.stride, f.lag)
	}
	frame := span{lo: uint32(r.uvarint(NativeWindow-1, "first offset"))}
	frame.hi = frame.lo + uint32(r.positive(uint64(NativeWindow-frame.lo), "span"))
	if r.err != nil {
		return windowChunk{}, r.err
	}
	d.written = container(flags & chunkContainer)
	if err := d.body(&r, f.frame(frame)); err != nil {
		return windowChunk{}, err
	}
	d.unfilter(f, frame)
	c.spans = d.spans
	if len(c.spans) == 0 {
		r.fail("no gaps in a chunk")
	}
	return c, r.err
}

// positive reads a number from 1 to limit.
func (r *nativeReader) positive(limit uint64, what string) uint64 {
	v := r.uvarint(limit, what)
	if r.err == nil && v == 0 {
		r.fail("%s: 0", what)
	}
	return v
}

// body reads the container into d.spans.
func (d *chunkReader) body(r *nativeReader, frame span) error {
	d.spans = d.spans[:0]
	switch d.written {
	case containerSolid:
		d.spans = append(d.spans, frame)
		return r.end()
	case containerOffsets, containerHoles, containerRuns:
		return d.riceBody(r, frame)
	case containerZstd:
		return d.zstdBody(r, frame)
	}
	return nativeError(ErrUnsupported, 1, fmt.Sprintf("container %d: written by newer software", byte(d.written)))
}

func (d *chunkReader) riceBody(r *nativeReader, frame span) error {
	params := r.byte("Rice parameters")
	gapK, doneK := uint(params&15), uint(params>>4)
	if d.written != containerRuns && doneK != 0 {
		r.fail("Rice parameters %#x, %s has only one", params, d.written)
	}
	if r.err != nil {
		return r.err
	}
	kOdd := gapK
	if d.written == containerRuns {
		kOdd = doneK
	}
	if !d.rice.read(r.rest(), frame.hi-frame.lo, gapK, kOdd) {
		r.fail("%s: the codes do not add up to the span", d.written)
		return r.err
	}
	switch d.written {
	case containerOffsets:
		d.spans = offsetSpans(d.spans, d.rice.values, frame.lo)
	case containerHoles:
		d.spans = holeSpans(d.spans, d.rice.values, frame.lo)
	default:
		d.spans = runSpans(d.spans, d.rice.values, frame.lo)
	}
	return nil
}

func (d *chunkReader) zstdBody(r *nativeReader, frame span) error {
	if d.zstd == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxRunLengths), zstd.WithDecoderMaxWindow(2*NativeWindow))
		if err != nil {
			return nativeError(ErrUnsupported, -1, err.Error())
		}
		d.zstd = dec
	}
	raw, err := d.zstd.DecodeAll(r.rest(), d.raw[:0])
	if err != nil {
		r.fail("zstd: %v", err)
		return r.err
	}
	d.raw = raw
	n, size := binary.Uvarint(raw)
	gaps, dones := splitLengths(raw[max(0, size):], n)
	d.rice.values = d.rice.values[:0]
	at, ok := frame.lo, true
	for ok && at < frame.hi {
		var v uint32
		v, ok = nextLength(&gaps)
		d.rice.values = append(d.rice.values, v)
		gaps, dones = dones, gaps
		at += v + 1
	}
	if !ok || at != frame.hi || len(gaps)+len(dones) > 0 {
		r.fail("zstd: the run lengths do not add up to the span")
		return r.err
	}
	d.spans = runSpans(d.spans, d.rice.values, frame.lo)
	return nil
}

// splitLengths cuts b after n variable-length numbers.
func splitLengths(b []byte, n uint64) (first, rest []byte) {
	for i, c := range b {
		if n == 0 {
			return b[:i], b[i:]
		}
		if c < 0x80 {
			n--
		}
	}
	return b, nil
}

// nextLength takes a number below NativeWindow, in its shortest form, off b.
func nextLength(b *[]byte) (uint32, bool) {
	v, n := binary.Uvarint(*b)
	if n <= 0 || v >= NativeWindow || (n > 1 && (*b)[n-1] == 0) {
		return 0, false
	}
	*b = (*b)[n:]
	return uint32(v), true
}

// unfilter turns d.spans from what was written into what it stands for.
func (d *chunkReader) unfilter(f filter, frame span) {
	switch {
	case f.stride > 0:
		d.filtered, d.spans = d.spans, stretch(d.spans, f.stride, d.filtered[:0])
	case f.lag > 0:
		d.set = windowSet{}
		for _, s := range d.spans {
			d.set.add(s)
		}
		d.set.untoggle(f.lag)
		d.spans = d.set.spans(frame, d.spans[:0])
	}
}
