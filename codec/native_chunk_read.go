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

// leastSetBody is the least size, in bytes, of a body that is worth being read as
// bits.
const leastSetBody = 1024

// chunkReader reads chunk values. It keeps its scratch memory from one chunk
// to the next; a chunk read is good until the next is.
type chunkReader struct {
	rice     riceReader
	spans    []span // what is not made of Rice codes
	filtered []span // what a filter was undone for
	set      windowSet
	raw      []byte
	zstd     *zstd.Decoder
	// bits: chunks with many gaps are wanted as bits.
	bits    bool
	fresh   *windowSet // empty, for the next of them; may be nil
	written container  // of the chunk read last
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
	if d.bits && f == (filter{}) && d.written.rice() && len(r.rest()) >= leastSetBody {
		c.set, c.spans = d.setBody(&r, frame)
		return c, r.err
	}
	spans, err := d.body(&r, f.frame(frame))
	if err != nil {
		return windowChunk{}, err
	}
	if c.spans = d.unfilter(f, frame, spans); len(c.spans) == 0 {
		r.fail("no gaps in a chunk")
	}
	return c, r.err
}

// body reads the container.
func (d *chunkReader) body(r *nativeReader, frame span) ([]span, error) {
	switch d.written {
	case containerSolid:
		d.spans = append(d.spans[:0], frame)
		return d.spans, r.end()
	case containerOffsets, containerHoles, containerRuns:
		return d.riceBody(r, frame)
	case containerZstd:
		return d.zstdBody(r, frame)
	}
	return nil, nativeError(ErrUnsupported, 1, fmt.Sprintf("container %d: written by newer software", byte(d.written)))
}

// params reads the parameters of codes: the first code's, the second's, and so
// on in turn.
func (d *chunkReader) params(r *nativeReader) (k, kOdd uint) {
	params := r.byte("Rice parameters")
	k, kOdd = uint(params&15), uint(params>>4)
	if d.written == containerRuns {
		return k, kOdd
	}
	if kOdd != 0 {
		r.fail("Rice parameters %#x, %s has only one", params, d.written)
	}
	return k, k
}

func (d *chunkReader) riceBody(r *nativeReader, frame span) (spans []span, err error) {
	k, kOdd := d.params(r)
	if r.err != nil {
		return nil, r.err
	}
	d.rice.reset(r.rest(), frame)
	var ok bool
	switch d.written {
	case containerOffsets:
		spans, ok = d.rice.offsets(frame, k)
	case containerHoles:
		spans, ok = d.rice.holes(frame, k)
	default:
		spans, ok = d.rice.runs(frame, k, kOdd)
	}
	if !ok {
		r.failCodes(d.written)
	}
	return spans, r.err
}

func (r *nativeReader) failCodes(c container) { r.fail("%s: the codes do not add up to the span", c) }

// setBody reads the container as bits, or as spans where it turns out that
// there are few. The set is the caller's.
func (d *chunkReader) setBody(r *nativeReader, frame span) (*windowSet, []span) {
	k, kOdd := d.params(r)
	if r.err != nil {
		return nil, nil
	}
	set := d.fresh
	if d.fresh = nil; set == nil {
		set = new(windowSet)
	}
	if d.written == containerHoles {
		set.add(frame)
	} else {
		set.add(span{frame.lo, frame.lo + 1})
	}
	d.rice.resetCodes(r.rest())
	if !d.rice.toggle(set, frame, k, kOdd) {
		r.failCodes(d.written)
		return nil, nil
	}
	if d.written == containerRuns {
		set.fill()
		set.clip(frame)
	}
	if set.runs() > maxSpans {
		return set, nil
	}
	d.spans = set.spans(frame, d.spans[:0])
	*set = windowSet{}
	d.fresh = set
	return nil, d.spans
}

func (d *chunkReader) zstdBody(r *nativeReader, frame span) ([]span, error) {
	if d.zstd == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxRunLengths), zstd.WithDecoderMaxWindow(2*NativeWindow))
		if err != nil {
			return nil, nativeError(ErrUnsupported, -1, err.Error())
		}
		d.zstd = dec
	}
	raw, err := d.zstd.DecodeAll(r.rest(), d.raw[:0])
	if err != nil {
		r.fail("zstd: %v", err)
		return nil, r.err
	}
	d.raw = raw
	n, size := binary.Uvarint(raw)
	gaps, dones := splitLengths(raw[max(0, size):], n)
	d.spans = d.spans[:0]
	at, ok := frame.lo, true
	for inSet := true; ok && at < frame.hi; inSet = !inSet {
		var v uint32
		v, ok = nextLength(&gaps)
		gaps, dones = dones, gaps
		if inSet {
			d.spans = append(d.spans, span{at, at + v + 1})
		}
		at += v + 1
	}
	if !ok || at != frame.hi || len(gaps)+len(dones) > 0 {
		r.fail("zstd: the run lengths do not add up to the span")
	}
	return d.spans, r.err
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

// unfilter turns what was written into what it stands for.
func (d *chunkReader) unfilter(f filter, frame span, spans []span) []span {
	switch {
	case f.stride > 0:
		d.filtered = stretch(spans, f.stride, d.filtered[:0])
		return d.filtered
	case f.lag > 0:
		d.set = windowSet{}
		for _, s := range spans {
			d.set.add(s)
		}
		d.set.untoggle(f.lag)
		d.filtered = d.set.spans(frame, d.filtered[:0])
		return d.filtered
	}
	return spans
}
