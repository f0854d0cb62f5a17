package codec

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func state(stable, max int64, gaps ...Range) State {
	return State{Stable: stable, Max: max, Gaps: NewRanges(gaps...)}
}

// What Parallel Consumer 0.5.3.3 wrote for known states.
func TestParallelConsumerVectors(t *testing.T) {
	v1 := state(0, 5, Range{0, 1}, Range{2, 4})
	v2 := state(100, 151, Range{100, 101})
	v3 := state(1000, 1013, Range{1000, 1001}, Range{1003, 1005}, Range{1009, 1010})
	v5 := state(10, 40011, Range{10, 11})
	v6 := state(200, 216, Range{200, 201}, Range{208, 209})
	v7 := State{Stable: 0, Max: 4000}
	for i := int64(0); i < 4000; i += 2 {
		v7.Gaps = v7.Gaps.Union(NewRanges(Range{i, i + 1}))
	}
	for _, v := range []struct {
		encoding, metadata string
		state              State
	}{
		{"bit-set-v1", "bAAFEgA=", v1},
		{"run-length-v1", "bgABAAEAAgAB", v1},
		{"bit-set-v2", "bwAAAAUSAA==", v1},
		{"run-length-v2", "ZQAAAAEAAAABAAAAAgAAAAE=", v1},
		{"run-length-v1", "bgABADI=", v2},
		{"bit-set-v1", "bAAz/v//////BwA=", v2},
		{"bit-set-v2", "bwAAADP+//////8HAA==", v2},
		{"run-length-v2", "ZQAAAAEAAAAy", v2},
		{"bit-set-v1", "bAAN5h0A", v3},
		{"run-length-v1", "bgABAAIAAgAEAAEAAw==", v3},
		{"bit-set-v2", "bwAAAA3mHQA=", v3},
		{"run-length-v2", "ZQAAAAEAAAACAAAAAgAAAAQAAAABAAAAAw==", v3},
		{"bit-set-v1-zstd", "YSi1L/0AWCkAAAAN5h0A", v3},
		{"run-length-v1-zstd", "Sii1L/0AWGEAAAABAAIAAgAEAAEAAw==", v3},
		{"bit-set-v2-zstd", "cyi1L/0AWDkAAAAAAA3mHQA=", v3},
		{"run-length-v2-zstd", "cCi1L/0AWMEAAAAAAAEAAAACAAAAAgAAAAQAAAABAAAAAw==", v3},
		{"run-length-v2", "ZQAAAAEAAJxA", v5},
		{"bit-set-v1", "bAAQ/v4A", v6},
		{"run-length-v1", "bgABAAcAAQAH", v6},
		{"run-length-v1-zstd", "Sii1L/0AWE0AABAAAQEAO1/vsA==", v7},
		{"bit-set-v1-zstd", "YSi1L/0AWF0AACAPoKoAAQDwKhgC", v7},
	} {
		d, err := Decode(v.metadata, v.state.Stable)
		if err != nil || d.Encoding != v.encoding || !d.State.Equal(v.state) || len(d.Anomalies) > 0 {
			t.Errorf("%s: %s %+v %v, want %s %+v: %v", v.metadata, d.Encoding, d.State, d.Anomalies, v.encoding, v.state, err)
		}
		e, err := Encode(v.state, "parallel-consumer", v.encoding)
		if err != nil || e.Committed != v.state.Stable || e.Size != len(e.Metadata) {
			t.Errorf("%s: %+v: %v", v.metadata, e, err)
		}
		// Another zstd compressor finds other frames, except where it finds
		// nothing to compress.
		if v.state.Max != 4000 && e.Metadata != v.metadata {
			t.Errorf("wrote %s, want %s", e.Metadata, v.metadata)
		}
	}
}

// Maps that are unusual, or read only, but have a meaning.
func TestParallelConsumerAnomalies(t *testing.T) {
	delta := state(1000, 1013, Range{1000, 1001}, Range{1003, 1005}, Range{1009, 1010})
	for _, v := range []struct {
		metadata string
		encoding string
		state    State
		kinds    []string
	}{
		{"bgAA", "run-length-v1", Complete(77), nil},
		{"bAAAAA==", "bit-set-v1", Complete(77), nil},
		{"bwAAAAAA", "bit-set-v2", Complete(77), nil},
		{"ZQAAAAA=", "run-length-v2", Complete(77), nil},
		{"bAABAQA=", "bit-set-v1", Complete(78), []string{"starts-complete"}},
		{"bgAAAAE=", "run-length-v1", Complete(78), []string{"starts-complete"}},
		{"bwAAAAEBAA==", "bit-set-v2", Complete(78), []string{"starts-complete"}},
		{"ZQAAAAAAAAAB", "run-length-v2", Complete(78), []string{"starts-complete"}},
		{"bgABAAQ", "run-length-v1", state(77, 82, Range{77, 78}), []string{"missing-padding"}},
		{"bgABAAR=", "run-length-v1", state(77, 82, Range{77, 78}), []string{"dirty-base64"}},
		{"bg==", "run-length-v1", Complete(77), []string{"empty-body"}},
		{"bgAFBw==", "run-length-v1", state(77, 82, Range{77, 82}), []string{"odd-tail", "ends-incomplete"}},
		{"bH//", "bit-set-v1", state(77, 77+32767, Range{77, 77 + 32767}), []string{"short-bits", "ends-incomplete"}},
		// 9 bits: 1 byte there, all complete
		{"bAAJ/w==", "bit-set-v1", state(85, 86, Range{85, 86}), []string{"short-bits", "starts-complete", "ends-incomplete"}},
		{"bAAJ/g==", "bit-set-v1", state(77, 86, Range{77, 78}, Range{85, 86}), []string{"short-bits", "ends-incomplete"}},
		// 9 bits: complete, 8 incomplete
		{"bAAJAQAA", "bit-set-v1", state(78, 86, Range{78, 86}), []string{"starts-complete", "ends-incomplete"}},
		{"bAACAg==", "bit-set-v1", state(77, 79, Range{77, 78}), nil},
		{"bAACAgAA", "bit-set-v1", state(77, 79, Range{77, 78}), []string{"spare-bytes"}},
		{"bAACAgE=", "bit-set-v1", state(77, 79, Range{77, 78}), []string{"spare-bytes"}},
		{"bAACBgA=", "bit-set-v1", state(77, 79, Range{77, 78}), []string{"dirty-padding"}},
		// runs 1, 0, 2, 3
		{"bgABAAAAAgAD", "run-length-v1", state(77, 83, Range{77, 80}), []string{"zero-run"}},
		{"ZQAAAAF/////", "run-length-v2", state(77, 77+1<<31, Range{77, 78}), []string{"huge-span"}},
		{"ZX////9/////f////w==", "run-length-v2", state(77, 77+3*(1<<31-1), Range{77, 77 + 1<<31 - 1}, Range{77 + 2*(1<<31-1), 77 + 3*(1<<31-1)}), []string{"ends-incomplete", "huge-span"}},
		{"TAABAQ==", "byte-array", state(77, 80, Range{77, 78}), []string{"unloadable"}},
		{"TAABAQA=", "byte-array", state(77, 80, Range{77, 78}), []string{"unloadable"}},
		{"WAAA", "envelope", Complete(77), []string{"envelope", "map-dropped"}},
		{"WAACaGk=", "envelope", Complete(77), []string{"envelope"}},
		{"WAACaGluAAEAMg==", "run-length-v1", state(77, 128, Range{77, 78}), []string{"envelope"}},
	} {
		d, err := Decode(v.metadata, 77)
		if err != nil || d.Encoding != v.encoding || !d.State.Equal(v.state) || !slices.Equal(anomalyKinds(d), v.kinds) {
			t.Errorf("%s: %s %+v %q, want %s %+v %q: %v", v.metadata, d.Encoding, d.State, anomalyKinds(d), v.encoding, v.state, v.kinds, err)
		}
	}
	for _, v := range []struct {
		metadata string
		state    State
		kinds    []string
	}{
		{"ZAAAAA0EAAMBBQ==", delta, []string{"unreleased-encoding"}},
		{"%wb(Pf4fMUk0r&", delta, []string{"unreleased-text", "unreleased-encoding"}},
		{"ZAAAADMBAA==", state(1000, 1051, Range{1000, 1001}), []string{"unreleased-encoding"}},
		{"%wb(PfgxvE", state(1000, 1051, Range{1000, 1001}), []string{"unreleased-text", "unreleased-encoding"}},
		{"ZAAAA+gFAAXDAawC8gM=", state(1000, 2000, Range{1000, 1001}, Range{1005, 1006}, Range{1200, 1201}, Range{1500, 1501}, Range{1998, 1999}), []string{"unreleased-encoding"}},
		{"%wb(Pi>MH}&.Vu?u[=F", state(1000, 2000, Range{1000, 1001}, Range{1005, 1006}, Range{1200, 1201}, Range{1500, 1501}, Range{1998, 1999}), []string{"unreleased-text", "unreleased-encoding"}},
	} {
		d, err := Decode(v.metadata, 1000)
		if err != nil || d.Encoding != "delta-list" || !d.State.Equal(v.state) || !slices.Equal(anomalyKinds(d), v.kinds) {
			t.Errorf("%s: %s %+v %q, want %+v %q: %v", v.metadata, d.Encoding, d.State, anomalyKinds(d), v.state, v.kinds, err)
		}
	}
}

func TestParallelConsumerCorrupt(t *testing.T) {
	for _, v := range []struct {
		metadata string
		encoding string
		position int
		reason   string
	}{
		{"bgAB_-Q=", "", 4, `character "_" is not base64`},
		{"bgAA\n", "", 4, `character "\n" is not base64`},
		{"bgA*", "", 3, `character "*" is not base64`},
		{"bgAA=", "", 4, "1 padding characters in the wrong place"},
		{"bgAAA===", "", 4, "base64 ends in the middle of a byte"},
		{"bgAAA", "", 4, "base64 ends in the middle of a byte"},
		{"bg=", "", 2, "1 padding characters in the wrong place"},
		{"=bgAA", "", 0, `character "=" is not base64`},
		{"test", "", 0, "unknown magic byte 0xb5"},
		{"bgAF//A=", "run-length-v1", 3, "negative run -16"},
		{"bP//", "bit-set-v1", 1, "negative length -1"},
		{"b/////8A", "bit-set-v2", 1, "negative length -1"},
		{"bH8=", "bit-set-v1", 2, "the length is cut off: 1 of 2 bytes"},
		{"bwAA", "bit-set-v2", 3, "the length is cut off: 2 of 4 bytes"},
		{"YQAAAQ==", "bit-set-v1-zstd", 1, "no zstd frame"},
		{"YQ==", "bit-set-v1-zstd", 1, "no zstd frame"},
		{"cyi1L/0AWDkAAAAAAA3mHQ==", "bit-set-v2-zstd", 1, "zstd: unexpected EOF"},
		{"YSi1L/0AWCkAAAAN5h0ABwcHBwc=", "bit-set-v1-zstd", 1, "zstd: invalid input: magic number mismatch"},
		{"7gABAQ==", "byte-array-zstd", 1, "no zstd frame"},
		{"TAAC", "byte-array", 2, "byte 0x02 is neither 0 nor 1"},
		{"ZAAAAA0E", "delta-list", 6, "4 distances in 0 bytes"},
		{"ZAAAAA0CAAA=", "delta-list", 7, "the distance leads to the same offset again or beyond the 13 offsets"},
		{"ZAAAAA0BDQ==", "delta-list", 6, "the distance leads to the same offset again or beyond the 13 offsets"},
		{"ZAAAAA0BAAA=", "delta-list", 7, "1 bytes follow the last distance"},
		{"ZAAAAA0BgA==", "delta-list", 6, "a distance is cut off or too large"},
		{"WAAFaGk=", "envelope", 1, "a rider of 5 bytes in 2"},
		{"WAAAWAAA", "envelope", 3, "an envelope inside an envelope"},
		{"WAAAbn//gAA=", "run-length-v1", 6, "negative run -32768"},
		{"WAAAAQ==", "envelope", 3, "unknown magic byte 0x01"},
		{"%#####", "", 1, `no bytes have the Z85 digits "#####"`},
		{"%wb(Pf4fMUk0r~", "", 13, `character "~" is not Z85`},
		{"%wb(Pf4fMUk0r$", "", 11, `no bytes have the Z85 digits "0r$"`},
		{"%w", "", 1, `no bytes have the Z85 digits "w"`},
		{"%", "", 0, "no magic byte"},
	} {
		_, err := DecodeAs("parallel-consumer", "", v.metadata, 77)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrCorrupt) || e.Format != "parallel-consumer" ||
			e.Encoding != v.encoding || e.Position != v.position || e.Reason != v.reason {
			t.Errorf("%q: %v, want %s at %d: %s", v.metadata, err, v.encoding, v.position, v.reason)
		}
	}
}

func TestParallelConsumerMatch(t *testing.T) {
	for metadata, want := range map[string]bool{
		"bgAA":           true,
		"bgABAAQ":        true,
		"bgAAA":          true, // recognised, and then corrupt
		"TAABAQ==":       true,
		"7gABAQ==":       true,
		"WAAA":           true,
		"%wb(PfgxvE":     true,
		"%0b(PfgxvE":     false,
		"%w":             false,
		"%wb(Pf gxvE":    false,
		"bgAB_-Q=":       false,
		"bgAA\n":         false,
		"bg\nAA":         false,
		"test":           false,
		"AQAAAAAAAAAA":   false,
		"hello world!":   false,
		"b":              false,
		"":               false,
		"bg\xff\xff":     false,
		"\xff\xff\xff":   false,
		"R123":           false,
		"bgAA====":       false,
		"bgABAAEAAgAB==": true,
	} {
		if got := matchParallelConsumer(metadata); got != want {
			t.Errorf("%q: match %v, want %v", metadata, got, want)
		}
	}
}

func TestParallelConsumerOffsetsNearTheEnd(t *testing.T) {
	d, err := Decode("bgABAAQ=", math.MaxInt64-5) // 5 offsets
	want := state(math.MaxInt64-5, math.MaxInt64, Range{math.MaxInt64 - 5, math.MaxInt64 - 4})
	if err != nil || !d.State.Equal(want) {
		t.Errorf("%+v, want %+v: %v", d.State, want, err)
	}
	for _, metadata := range []string{"bgABAAQ=", "bAAFEgA=", "bwAAAAUSAA==", "TAABAQEBAA==", "ZAAAAAUBAA=="} {
		if _, err := Decode(metadata, math.MaxInt64-4); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v, want corrupt", metadata, err)
		}
	}
}
