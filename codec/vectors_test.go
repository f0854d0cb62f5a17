package codec

import (
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// vector is commit metadata with what it must be read as.
type vector struct {
	metadata         string
	committed        int64
	format, encoding string
	stable, max      int64
	gaps             string // inclusive, as ParseRanges reads
	anomalies        string // the kinds, separated by commas
}

// checkVectors recognises and reads each vector.
func checkVectors(t *testing.T, vectors []vector) {
	t.Helper()
	for _, v := range vectors {
		d, err := Decode(v.metadata, v.committed)
		if err != nil {
			t.Errorf("%q: %v", v.metadata, err)
			continue
		}
		if d.Format != v.format || d.Encoding != v.encoding {
			t.Errorf("%q: is %s %s, want %s %s", v.metadata, d.Format, d.Encoding, v.format, v.encoding)
		}
		if s := d.State; s.Stable != v.stable || s.Max != v.max || s.Gaps.String() != v.gaps {
			t.Errorf("%q: stable %d, max %d, gaps %s; want %d, %d, %s", v.metadata, s.Stable, s.Max, s.Gaps, v.stable, v.max, v.gaps)
		}
		if kinds := kindsOf(d); kinds != v.anomalies {
			t.Errorf("%q: anomalies %q, want %q", v.metadata, kinds, v.anomalies)
		}
	}
}

func kindsOf(d Decoded) string { return strings.Join(anomalyKinds(d), ",") }

func anomalyKinds(d Decoded) []string {
	var kinds []string
	for _, a := range d.Anomalies {
		kinds = append(kinds, a.Kind)
	}
	return kinds
}

// refusal is metadata that can not be read, with class and place of the error.
type refusal struct {
	metadata  string
	committed int64
	class     error
	position  int
	says      string // part of the reason
}

func checkRefusals(t *testing.T, format string, refusals []refusal) {
	t.Helper()
	for _, r := range refusals {
		d, err := DecodeAs(format, "", r.metadata, r.committed)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: read as %+v, error %v; want %v", r.metadata, d, err, r.class)
			continue
		}
		if !errors.Is(err, r.class) || e.Format != format || e.Position != r.position || !strings.Contains(e.Reason, r.says) {
			t.Errorf("%q: error %q at %d, want %v at %d saying %q", r.metadata, err, e.Position, r.class, r.position, r.says)
		}
	}
}

func mustRanges(text string) Ranges {
	s, err := ParseRanges(text)
	if err != nil {
		panic(err)
	}
	return s
}

// unhex is bytes given as hexadecimal, blanks allowed.
func unhex(digits string) []byte {
	raw, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		panic(err)
	}
	return raw
}

// allocatedBy is how many bytes f allocates, kept or not.
func allocatedBy(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
