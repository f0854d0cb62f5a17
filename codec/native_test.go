package codec

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var testID = NativeID{Group: "billing", TopicID: [16]byte{15: 7}, Partition: 3}

func mustEncode(t testing.TB, c NativeCommit) []Record {
	t.Helper()
	records, err := EncodeNative(c)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// fold applies records on top of f and returns the only slot.
func fold(t testing.TB, f *NativeFold, records []Record) *NativeSlot {
	t.Helper()
	for _, r := range records {
		if err := f.Apply(r.Key, r.Value); err != nil {
			t.Fatal(err)
		}
	}
	for e := range f.All() {
		return e.Slots[0]
	}
	t.Fatal("nothing left in the fold")
	return nil
}

func mustRead(t testing.TB, s *NativeSlot) NativeReading {
	t.Helper()
	r, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drawState draws states that mix single gaps, bursts, patterns, whole windows
// and huge gaps.
func drawState(t *rapid.T, label string) State {
	at := rapid.Int64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, label+" magnitude")).Draw(t, label+" stable")
	s := State{Stable: at}
	var rs []Range
	for range rapid.IntRange(0, 8).Draw(t, label+" parts") {
		step := func(bits int) int64 {
			return rapid.Int64Range(1, 1<<rapid.IntRange(0, bits).Draw(t, "bits")).Draw(t, "length")
		}
		gap, done, times := step(18), step(18), 1
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			gap, done, times = 1+gap&3, 1+done&3, rapid.IntRange(1, 3000).Draw(t, "times")
		case 1:
			gap = NativeWindow * gap
		case 2:
			at += -at & (NativeWindow - 1) // aligned
		}
		for range times {
			rs = append(rs, Range{at, at + gap})
			at += gap + done
		}
	}
	s.Max, s.Gaps = at, NewRanges(rs...)
	return s.Normalize()
}

func TestNativeRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawState(rt, "state")
		stamp := NativeStamp{LeaderEpoch: -1, Generation: 12, Time: 1700000000000}
		slot := fold(t, &NativeFold{}, mustEncode(t, NativeCommit{NativeID: testID, NativeStamp: stamp, State: want}))
		got := mustRead(t, slot)
		if !got.State.Equal(want) {
			rt.Fatalf("got %v\nwant %v", got.State, want)
		}
		if got.Head.NativeStamp != stamp || len(got.Stale) > 0 || len(got.Anomalies) > 0 {
			rt.Fatalf("reading %+v", got)
		}
	})
}

func TestNativeBounds(t *testing.T) {
	for _, s := range []State{
		Complete(0),
		Complete(math.MaxInt64),
		{Stable: 0, Max: math.MaxInt64, Gaps: NewRanges(Range{0, math.MaxInt64 - 1})},
		{Stable: math.MaxInt64 - 2, Max: math.MaxInt64, Gaps: NewRanges(Range{math.MaxInt64 - 2, math.MaxInt64 - 1})},
		{Stable: 5, Max: 10_000_000_006, Gaps: NewRanges(Range{5, 10_000_000_005})},
	} {
		records := mustEncode(t, NativeCommit{NativeID: testID, State: s})
		if len(records) > 3 {
			t.Errorf("%v: %d records", s, len(records))
		}
		if got := mustRead(t, fold(t, &NativeFold{}, records)); !got.State.Equal(s) {
			t.Errorf("got %v, want %v", got.State, s)
		}
	}
}

// TestNativeIncremental: after any sequence of commits, the topic holds the
// last state, and a commit wrote exactly the chunks that differ.
func TestNativeIncremental(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f, prev := &NativeFold{}, State{}
		held := map[string]string{}
		for range rapid.IntRange(1, 5).Draw(rt, "commits") {
			next := drawState(rt, "state")
			if rapid.Bool().Draw(rt, "near") && !prev.Gaps.Empty() {
				next = prev
				next.Gaps = prev.Gaps.Sub(NewRanges(Range{prev.Stable, prev.Stable + 1 + rapid.Int64Range(0, prev.Max-prev.Stable).Draw(rt, "done")}))
				next = next.Normalize()
			}
			records := mustEncode(t, NativeCommit{NativeID: testID, State: next, Prev: prev})
			full := map[string]string{}
			for _, r := range mustEncode(t, NativeCommit{NativeID: testID, State: next}) {
				full[string(r.Key)] = string(r.Value)
			}
			for i, r := range records {
				isHead := i == len(records)-1
				if old, ok := held[string(r.Key)]; !isHead && ok && r.Value != nil && old == string(r.Value) {
					rt.Fatalf("chunk %x was written again without change", r.Key)
				}
				if r.Value == nil {
					delete(held, string(r.Key))
				} else {
					held[string(r.Key)] = string(r.Value)
				}
			}
			if len(held) != len(full) {
				rt.Fatalf("the topic holds %d records, a full commit has %d", len(held), len(full))
			}
			for k, v := range full {
				if held[k] != v {
					rt.Fatalf("record %x: holds %x, want %x", k, held[k], v)
				}
			}
			got := mustRead(t, fold(t, f, records))
			if !got.State.Equal(next) || len(got.Stale) > 0 {
				rt.Fatalf("got %v stale %v, want %v", got.State, got.Stale, next)
			}
			prev = next
		}
	})
}

// randomGaps marks each offset below span outstanding with the probability
// given, and keeps the result within a canonical state.
func randomGaps(span int64, density float64, seed uint64) State {
	rng := rand.New(rand.NewPCG(seed, 1))
	var rs []Range
	for at := int64(0); ; at++ {
		// Skips are geometric.
		at += int64(math.Log(1-rng.Float64()) / math.Log(1-density))
		if at >= span {
			break
		}
		rs = appendJoined(rs, Range{at, at + 1})
	}
	return State{Max: span + 1, Gaps: Ranges{rs: rs}}.Normalize()
}

// The chunks of one slot are read one after another in the same memory, which
// must not show.
func TestNativeStrideInEveryWindow(t *testing.T) {
	var rs []Range
	for at := int64(0); at < 4*NativeWindow; at += 3 {
		if at%7 > 0 {
			rs = append(rs, Range{at, at + 1})
		}
	}
	s := State{Stable: 3, Max: 4 * NativeWindow, Gaps: NewRanges(rs...)}.Normalize()
	records := mustEncode(t, NativeCommit{NativeID: testID, State: s})
	if records[1].Value[1]&chunkHasStride == 0 || records[2].Value[1]&chunkHasStride == 0 {
		t.Fatal("no strides")
	}
	if got := mustRead(t, fold(t, &NativeFold{}, records)); !got.State.Equal(s) {
		t.Errorf("%d gaps, want %d", got.State.Gaps.Len(), s.Gaps.Len())
	}
}

// TestNativeBits: a body is the same, and as good or bad, whether it is read as
// spans or as bits.
func TestNativeBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	spans, inBits := chunkReader{}, chunkReader{bits: true}
	good, sets := 0, 0
	compare := func(value []byte) {
		want, wantErr := spans.read(7, value)
		got, gotErr := inBits.read(7, value)
		if got.set != nil {
			sets++
		}
		if (wantErr == nil) != (gotErr == nil) {
			t.Fatalf("as spans %v, as bits %v", wantErr, gotErr)
		}
		if wantErr == nil {
			good++
			if got.count(anywhere) != want.count(anywhere) || !got.inSpans().equal(want) {
				t.Fatalf("%s: not the same", spans.written)
			}
		}
	}
	for i, density := range []float64{0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.97} {
		for _, r := range mustEncode(t, NativeCommit{NativeID: testID, State: randomGaps(3*NativeWindow, density, uint64(i))})[:3] {
			compare(r.Value)
			for range 30 {
				broken := bytes.Clone(r.Value)
				broken[rng.IntN(len(broken))] ^= 1 << rng.IntN(8)
				compare(broken)
				compare(broken[:rng.IntN(len(broken))])
			}
		}
	}
	if good < 27 || sets < 10 {
		t.Fatalf("%d chunks were good, %d sets", good, sets)
	}
}
