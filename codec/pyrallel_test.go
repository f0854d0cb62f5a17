package codec

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pyrallelVectors were made by the library's encoder, save the fifth and those
// after the sixth. The library writes base 101 and 1 for them; the committed
// offset is the base.
func pyrallelVectors() []vector {
	return []vector{
		{"R", 101, "pyrallel", "ranges", 101, 101, "", ""},
		{"B101:16", 101, "pyrallel", "bitset", 101, 106, "101,104", ""},
		{"B1:17", 1, "pyrallel", "bitset", 4, 6, "4", ""},
		{"B1000000000:a6ca11", 1000000000, "pyrallel", "bitset", 1000000000, 1000000021,
			"1000000000,1000000003-1000000004,1000000006,1000000008,1000000010,1000000012-1000000013,1000000017-1000000019", ""},
		{"R102-110", 101, "pyrallel", "ranges", 101, 111, "101", ""},
		{"O", 101, "pyrallel", "overflow", 101, 101, "", "overflow"},
		{"R103,105-107,110", 101, "pyrallel", "ranges", 101, 111, "101-102,104,108-109", ""},
		{"B101:FE03", 101, "pyrallel", "bitset", 101, 111, "101", ""},
		{"R123", 101, "pyrallel", "ranges", 101, 124, "101-122", ""}, // also base64
		{"R1234567", 1, "pyrallel", "ranges", 1, 1234568, "1-1234566", ""},
	}
}

func TestPyrallelVectors(t *testing.T) { checkVectors(t, pyrallelVectors()) }

// TestPyrallelOlderBits: before 2026-02-26 B held one character for an offset.
func TestPyrallelOlderBits(t *testing.T) {
	checkVectors(t, []vector{
		{"B1:01101", 1, "pyrallel", "bits", 1, 6, "1,4", ""},
		{"B1:1", 1, "pyrallel", "bits", 2, 2, "", ""},
		{"B1:", 1, "pyrallel", "bits", 1, 1, "", "overflow"},
		{"B1:11", 1, "pyrallel", "bitset", 2, 6, "2-4", "ambiguous"},
		{"B1:00000010", 1, "pyrallel", "bitset", 1, 30, "1-28", "ambiguous"},
	})
	d, err := Decode("B1:11", 1)
	if err != nil || !strings.Contains(d.Anomalies[0].Message, "(stable 3, max 3, 0 outstanding)") {
		t.Errorf("the other reading is not told: %+v, %v", d, err)
	}
}

func TestPyrallelAmbiguous(t *testing.T) {
	const metadata = "B100:0110101101" // 10 characters: bits up to 109, or five bytes up to 132
	_, err := Decode(metadata, 100)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrAmbiguous) || e.Position != 5 {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"(stable 101, max 133, 27 outstanding)", "(stable 100, max 110, 4 outstanding)", "--format pyrallel --encoding bitset, or bits"} {
		if !strings.Contains(e.Reason, part) {
			t.Errorf("%q does not tell %q", e.Reason, part)
		}
	}
	for encoding, want := range map[string]string{"bits": "100,103,105,108", "bitset": "101-111,113-119,121-123,125-127,129-131"} {
		d, err := DecodeAs("pyrallel", encoding, metadata, 100)
		if err != nil || d.Encoding != encoding || d.State.Gaps.String() != want {
			t.Errorf("%s: %+v, %v", encoding, d, err)
		}
	}
}

func TestPyrallelAnomalies(t *testing.T) {
	checkVectors(t, []vector{
		{"R90-95,103", 101, "pyrallel", "ranges", 101, 104, "101-102", "below-committed"},
		{"R90-104,106", 101, "pyrallel", "ranges", 105, 107, "105", "below-committed"},
		{"R90", 101, "pyrallel", "ranges", 101, 101, "", "below-committed"},
		{"R105,103", 101, "pyrallel", "ranges", 101, 106, "101-102,104", "unsorted"},
		{"R103-106,105-107", 101, "pyrallel", "ranges", 101, 108, "101-102", "unsorted"},
		{"R101-103,106", 101, "pyrallel", "ranges", 104, 107, "104-105", ""},
		{"B90:fe03", 101, "pyrallel", "bitset", 101, 101, "", "below-committed,base-differs"},
		{"B103:fe", 101, "pyrallel", "bitset", 101, 111, "101-103", "base-differs"},
		{"R0-9999999999", 0, "pyrallel", "ranges", 10000000000, 10000000000, "", ""},
		{"R5-9999999999", 0, "pyrallel", "ranges", 0, 10000000000, "0-4", ""},
	})
}

func TestPyrallelRefuses(t *testing.T) {
	checkRefusals(t, "pyrallel", []refusal{
		{"R5-3", 1, ErrCorrupt, 1, "ends before it starts; pyrallel-consumer takes this for no completed offsets"},
		{"R1,,2", 1, ErrCorrupt, 3, "offset expected"},
		{"R1,", 1, ErrCorrupt, 3, "offset expected"},
		{"R-5", 1, ErrCorrupt, 1, "negative"},
		{"R5--7", 1, ErrCorrupt, 3, "negative"},
		{"R5-6-7", 1, ErrCorrupt, 4, "',' expected"},
		{"R9223372036854775807", 1, ErrCorrupt, 1, "63 bits"},
		{"B1:123", 1, ErrCorrupt, 6, "half a byte"},
		{"B1:12g4", 1, ErrCorrupt, 5, "no hexadecimal digit"},
		{"B1", 1, ErrCorrupt, 2, "':' expected"},
		{"B:12", 1, ErrCorrupt, 1, "offset expected"},
		{"B9223372036854775800:ff", 1, ErrCorrupt, 1, "beyond the largest offset"},
		{"B9223372036854775800:11", 1, ErrCorrupt, 1, "beyond the largest offset"},
		{"X", 1, ErrCorrupt, 0, "none of R, B and O"},
		{"", 1, ErrCorrupt, 0, "none of R, B and O"},
	})
	if _, err := DecodeAs("pyrallel", "bits", "B1:012", 1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a bit of 2: %v", err)
	}
	if _, err := DecodeAs("pyrallel", "bits", "R1", 1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("ranges read as bits: %v", err)
	}
}

// TestPyrallelChooses: the shorter text, ranges on a tie, the overflow mark
// when neither fits 4000 characters.
func TestPyrallelChooses(t *testing.T) {
	every := func(start, n, step int64) State {
		var done []Range
		for i := range n {
			done = append(done, Range{start + 1 + i*step, start + 2 + i*step})
		}
		return completedFrom(start, NewRanges(done...))
	}
	for _, c := range []struct {
		name, encoding, metadata string
		state                    State
	}{
		{"nothing completed", "ranges", "R", Complete(101)},
		{"bitset", "bitset", "B101:16", completedFrom(101, mustRanges("102-103,105"))},
		{"ranges", "ranges", "R102-110", completedFrom(101, mustRanges("102-110"))},
		{"tie", "ranges", "R13,15", completedFrom(12, mustRanges("13,15"))}, // B12:0a
		{"only bitset fits", "bitset", "", every(1_000_000_000, 400, 2)},
		{"only ranges fit", "ranges", "", every(0, 300, 1000)},
		{"neither fits", "overflow", "O", every(1_000_000_000, 400, 1000)},
	} {
		out, err := Encode(c.state, "pyrallel", "")
		if err != nil || out.Encoding != c.encoding || out.Committed != c.state.Stable {
			t.Errorf("%s: %+v, %v", c.name, out, err)
		}
		if c.metadata != "" && out.Metadata != c.metadata {
			t.Errorf("%s: %q, want %q", c.name, out.Metadata, c.metadata)
		}
	}
}

func TestPyrallelWritesVectors(t *testing.T) {
	for _, v := range pyrallelVectors() {
		if strings.HasPrefix(v.metadata, "B101:FE") || v.stable != v.committed {
			continue // upper case, and a base that is completed, are not how it writes
		}
		out, err := Encode(State{Stable: v.stable, Max: v.max, Gaps: mustRanges(v.gaps)}, "pyrallel", v.encoding)
		if err != nil || out.Metadata != v.metadata || out.Committed != v.committed {
			t.Errorf("%q: %+v, %v", v.metadata, out, err)
		}
	}
}

// TestTextRoundTrip: what any writable encoding of greyhound and pyrallel
// writes, it reads as the same state.
func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := canonicalState().Draw(t, "state")
		for _, name := range []string{"greyhound", "pyrallel"} {
			f, _ := Lookup(name)
			for _, e := range f.Encodings {
				out, err := Encode(s, name, e.Name)
				if err != nil {
					t.Fatalf("%s %s: %v", name, e.Name, err)
				}
				d, err := DecodeAs(name, e.Name, out.Metadata, out.Committed)
				want := s
				if e.Name == "overflow" {
					want = Complete(s.Stable)
				}
				if err != nil || !d.State.Normalize().Equal(want) || d.Size != out.Size {
					t.Fatalf("%s %s of %+v: %+v is read as %+v, %v", name, e.Name, s, out, d, err)
				}
			}
		}
	})
}

// TestPyrallelWidePair: two offsets far apart are no reason for a large bitset.
func TestPyrallelWidePair(t *testing.T) {
	s := completedFrom(0, mustRanges("4000000000000"))
	for _, encoding := range []string{"bitset", "bits"} {
		var err error
		allocated := allocatedBy(func() { _, err = Encode(s, "pyrallel", encoding) })
		if !errors.Is(err, ErrTooLarge) || allocated > 1<<16 {
			t.Errorf("%s: %d bytes allocated, %v", encoding, allocated, err)
		}
	}
	if out, err := Encode(s, "pyrallel", ""); err != nil || out.Metadata != "R4000000000000" {
		t.Errorf("%+v, %v", out, err)
	}
}
