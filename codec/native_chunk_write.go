package codec

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
)

const (
	chunkHasFull   = 0x80 // in the second byte: the count of full windows follows
	chunkHasLag    = 0x40 // in the second byte: the lag follows
	chunkHasStride = 0x20 // in the second byte: the stride follows
	chunkContainer = 0x1f // in the second byte: the container
)

// chunkWriter writes chunk values. It keeps its scratch memory from one chunk
// to the next.
type chunkWriter struct {
	gaps, dones lengths
	set         windowSet
	filtered    []span
	codes       []uint32
	raw, frame  []byte
	zstd        *zstd.Encoder
}

// append appends the value of the chunk record: c in what is, by estimate, the
// smallest way.
func (w *chunkWriter) append(b []byte, c windowChunk) []byte {
	frame := span{c.spans[0].lo, c.spans[len(c.spans)-1].hi}
	f, spans, best := w.filter(c.spans, frame)
	inner := f.frame(frame)
	packed := w.packed(spans, inner, best)
	if packed != nil {
		best.container = containerZstd
	}
	b = appendChunkHead(b, c.full, f, best.container)
	b = binary.AppendUvarint(b, uint64(frame.lo))
	b = binary.AppendUvarint(b, uint64(frame.hi-frame.lo))
	if packed != nil {
		return append(b, packed...)
	}
	return w.body(b, best, spans, inner.hi)
}

// filter chooses how spans are filtered, filters them, and plans for what
// that leaves.
func (w *chunkWriter) filter(spans []span, frame span) (filter, []span, plan) {
	if n := commonStride(spans); n > 1 {
		f := filter{stride: n}
		w.filtered = squeeze(spans, n, w.filtered[:0])
		return f, w.filtered, w.plan(w.filtered, f.frame(frame))
	}
	const worthwhile = 8 * 8 // bits
	plain := w.plan(spans, frame)
	if len(spans) < 4 || plain.bits <= worthwhile {
		return filter{}, spans, plain
	}
	lag := findLag(spans)
	if lag == 0 {
		return filter{}, spans, plain
	}
	w.set = windowSet{}
	for _, s := range spans {
		w.set.add(s)
	}
	w.set.toggle(lag)
	w.filtered = w.set.spans(frame, w.filtered[:0])
	if p := w.plan(w.filtered, frame); p.bits < plain.bits {
		return filter{lag: lag}, w.filtered, p
	}
	return filter{}, spans, plain
}

func appendChunkHead(b []byte, full int64, f filter, c container) []byte {
	at := len(b) + 1
	b = append(b, nativeVersion, byte(c))
	for _, field := range []struct {
		flag  byte
		value uint64
	}{{chunkHasFull, uint64(full)}, {chunkHasLag, uint64(f.lag)}, {chunkHasStride, uint64(f.stride)}} {
		if field.value > 0 {
			b[at] |= field.flag
			b = binary.AppendUvarint(b, field.value)
		}
	}
	return b
}

// body appends the body of a container made of Rice codes.
func (w *chunkWriter) body(b []byte, p plan, spans []span, hi uint32) []byte {
	codes, k, kOdd := w.codes[:0], p.gapK, p.gapK
	switch p.container {
	case containerSolid:
		return b
	case containerOffsets:
		codes = offsetCodes(codes, spans, hi)
	case containerHoles:
		codes = holeCodes(codes, spans, hi)
	default:
		codes, kOdd = runCodes(codes, spans, hi), p.doneK
	}
	w.codes = codes
	return appendRice(append(b, byte(p.gapK|p.doneK<<4)), codes, k, kOdd)
}

// plan prices the containers for spans, which start at frame.lo.
func (w *chunkWriter) plan(spans []span, frame span) plan {
	if spans[0] == frame {
		return plan{container: containerSolid}
	}
	w.gaps, w.dones = lengths{}, lengths{}
	at, dones := spans[0].hi, len(spans)-1
	w.gaps.add(at - frame.lo)
	for _, s := range spans[1:] {
		w.dones.add(s.lo - at)
		w.gaps.add(s.hi - s.lo)
		at = s.hi
	}
	if at < frame.hi {
		w.dones.add(frame.hi - at)
		dones++
	}
	return cheapest(&w.gaps, &w.dones, len(spans), dones)
}

// packed is a zstd frame of the run lengths of spans, when that is smaller
// than best; otherwise nil. It is tried where few lengths are common, which
// Rice codes do not profit from.
func (w *chunkWriter) packed(spans []span, frame span, best plan) []byte {
	const sample = 256
	const least = 24 * 8 // bits; a frame's own overhead is half of that
	if best.bits < least {
		return nil
	}
	w.raw = appendRunLengths(w.raw[:0], spans[:min(sample, len(spans))], frame)
	if cost := byteEntropy(w.raw) * float64(len(spans)) / float64(min(sample, len(spans))); cost > 0.85*float64(best.bits) {
		return nil
	}
	if w.zstd == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
			zstd.WithWindowSize(2*NativeWindow), zstd.WithAllLitEntropyCompression(true), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil // the options above are constants that it accepts
		}
		w.zstd = enc
	}
	w.raw = appendRunLengths(w.raw[:0], spans, frame)
	w.frame = w.zstd.EncodeAll(w.raw, w.frame[:0])
	if uint64(len(w.frame))*8 >= best.bits {
		return nil
	}
	return w.frame
}

// appendRunLengths appends the body of containerZstd, before compression.
func appendRunLengths(b []byte, spans []span, frame span) []byte {
	b = binary.AppendUvarint(b, uint64(len(spans)))
	for _, s := range spans {
		b = binary.AppendUvarint(b, uint64(s.hi-s.lo-1))
	}
	for i, s := range spans[1:] {
		b = binary.AppendUvarint(b, uint64(s.lo-spans[i].hi-1))
	}
	if at := spans[len(spans)-1].hi; at < frame.hi {
		b = binary.AppendUvarint(b, uint64(frame.hi-at-1))
	}
	return b
}

// byteEntropy is about the Shannon entropy of b, in bits.
func byteEntropy(b []byte) float64 {
	var count [256]uint32
	for _, c := range b {
		count[c]++
	}
	total := float64(len(b)) * log2(uint32(len(b)))
	for _, c := range count {
		if c > 1 {
			total -= float64(c) * log2(c)
		}
	}
	return total
}

// log2 is the logarithm of n, less 0.09 at most: straight between the powers
// of two, which is what the bits of a float64 are as a number.
func log2(n uint32) float64 {
	const mantissa, bias = 52, 1023
	return float64(math.Float64bits(float64(n))-bias<<mantissa) / (1 << mantissa)
}
