package codec

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawPCState draws a canonical state, with gaps or without. Its lengths are
// around the bounds of 16 bits or of 32, and not where a bit set takes megabytes.
func drawPCState(t *rapid.T) State {
	lengths := rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 9), rapid.Int64Range(1, 2000), rapid.Int64Range(1<<27, 1<<31))
	at := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, math.MaxInt64>>1)).Draw(t, "stable")
	s := Complete(at)
	var rs []Range
	for range rapid.IntRange(0, 40).Draw(t, "gaps") {
		end := at + lengths.Draw(t, "gap")
		rs = append(rs, Range{at, end})
		at = end + lengths.Draw(t, "done")
	}
	s.Max, s.Gaps = at, NewRanges(rs...)
	return s
}

func TestParallelConsumerRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawPCState(t)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		huge := s.Max-s.Stable >= 1<<30 // which is worth a note
		least := math.MaxInt
		for _, encoding := range writablePCEncodings() {
			e, err := Encode(s, "parallel-consumer", encoding)
			if errors.Is(err, ErrTooLarge) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			least = min(least, e.Size)
			d, err := DecodeAs("parallel-consumer", "", e.Metadata, e.Committed)
			if err != nil || !d.State.Equal(s) || (len(d.Anomalies) > 0) != huge || (e.Metadata != "" && d.Encoding != encoding) {
				t.Fatalf("%s %q: %s %+v %v, want %+v: %v", encoding, e.Metadata, d.Encoding, d.State, d.Anomalies, s, err)
			}
		}
		e, err := Encode(s, "parallel-consumer", "")
		if least == math.MaxInt {
			if !errors.Is(err, ErrTooLarge) {
				t.Fatalf("%+v: %v, want too large", e, err)
			}
			return
		}
		if err != nil || e.Size != least {
			t.Fatalf("the smallest takes %d characters in %s, another %d: %v", e.Size, e.Encoding, least, err)
		}
	})
}

// checkBits reads a bit set, which the decoder does 64 bits at a time, bit by
// bit.
func checkBits(t rapid.TB, set []byte, n, base int64) {
	t.Helper()
	var want []Range
	for i := range n {
		if i/8 >= int64(len(set)) || set[i/8]>>(i%8)&1 == 0 {
			want = append(want, Range{base + i, base + i + 1})
		}
	}
	r := &pcReading{base: base, maxGaps: math.MaxInt}
	if err := (bitSet{2}).read(r, append([]byte{byte(n >> 8), byte(n)}, set...)); err != nil {
		t.Fatal(err)
	}
	if got := (Ranges{rs: r.gaps}); !got.Equal(NewRanges(want...)) || cap(r.gaps) != len(r.gaps) {
		t.Fatalf("%d bits of % x: %v in room for %d, want %v", n, set, got, cap(r.gaps), NewRanges(want...))
	}
}

func TestParallelConsumerBits(t *testing.T) {
	for n := range int64(200) {
		for _, pattern := range []byte{0x00, 0xff, 0x55, 0xaa} {
			checkBits(t, bytes.Repeat([]byte{pattern}, 25), n, 7)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 0xff, 0xff, 1, 0x80, 0x55, 0xf0}), 0, 40).Draw(t, "set")
		n := rapid.Int64Range(0, int64(len(set))*8+100).Draw(t, "n")
		checkBits(t, set, n, rapid.Int64Range(0, 1000).Draw(t, "base"))
	})
}

func FuzzDecodeParallelConsumer(f *testing.F) {
	for _, g := range readPCGolden(f)[:40] {
		f.Add(g.Metadata, g.Committed)
	}
	for _, metadata := range []string{"", "b3////8=", "ZX////9/////f////w==", "bgAFBw==", "TAABAQ==", "%wb(Pf4fMUk0r&",
		"ZAAAA+gFAAXDAawC8gM=", "WAACaGluAAEAMg==", "Sii1L/0AWE0AABAAAQEAO1/vsA==", "YSi1L/0AWF0AACAPoKoAAQDwKhgC"} {
		f.Add(metadata, int64(77))
		f.Add(metadata, int64(math.MaxInt64-3))
	}
	f.Fuzz(func(t *testing.T, metadata string, committed int64) {
		d, err := DecodeAs("parallel-consumer", "", metadata, committed)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Format != "parallel-consumer" || e.Reason == "" || e.Position < -1 {
				t.Fatalf("%#v", err)
			}
			return
		}
		if n := d.State.Gaps.Len(); n > 1<<16+256*len(metadata) || len(d.Anomalies) > 8 {
			t.Fatalf("%d gaps and %d anomalies from %d characters", n, len(d.Anomalies), len(metadata))
		}
		s := d.State.Normalize()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		e, err := Encode(s, "parallel-consumer", "")
		if errors.Is(err, ErrTooLarge) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeAs("parallel-consumer", "", e.Metadata, e.Committed)
		if err != nil || !again.State.Equal(s) || len(again.Anomalies) > 1 {
			t.Fatalf("%q: %+v, want %+v: %v", e.Metadata, again.State, s, err)
		}
	})
}

func writablePCEncodings() []string {
	var names []string
	for _, e := range parallelConsumer.Encodings {
		if e.Writable() {
			names = append(names, e.Name)
		}
	}
	return names
}
