package codec

import (
	"errors"
	"strings"
	"testing"
)

// FuzzDecodeMetadata: whatever the text, nothing panics; an error is an
// [*Error] with a class, a place and a reason, and the format is the first that
// matches; ranges are no more than the text can hold; and what a writable format
// reads it can write so that it reads the same again.
func FuzzDecodeMetadata(f *testing.F) {
	for _, text := range parallelConsumerTexts() {
		f.Add(text, int64(100))
	}
	for _, v := range append(greyhoundVectors(), pyrallelVectors()...) {
		f.Add(v.metadata, v.committed)
	}
	for _, v := range foreignTexts() {
		f.Add(v.metadata, int64(0))
	}
	f.Add("R0-9999999999", int64(0))
	f.Add("10000000000#0_9999999999", int64(1)<<62)
	f.Add("B9223372036854775800:11", int64(1)<<62)
	for _, text := range []string{"bgABADI=\n", "bg===", "b=", "bgA!", "%w", "%wb\"", "-1#", "#"} {
		f.Add(text, int64(-1))
		f.Add(text, int64(1))
	}
	f.Fuzz(func(t *testing.T, metadata string, committed int64) {
		d, err := Decode(metadata, committed)
		checkRecognised(t, metadata, d, err)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Class == nil || e.Position < -1 || e.Reason == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		checkDecoded(t, metadata, d)
		f, ok := Lookup(d.Format)
		if !ok || !f.Writable() || d.Encoding == "overflow" {
			return
		}
		out, err := Encode(d.State, d.Format, "")
		if errors.Is(err, ErrTooLarge) || out.Encoding == "overflow" {
			return
		}
		if err != nil {
			t.Fatalf("%+v can be read but not written: %v", d, err)
		}
		again, err := DecodeAs(d.Format, out.Encoding, out.Metadata, out.Committed)
		if out.Metadata == "" {
			again, err = Decode("", out.Committed)
		}
		if err != nil || !again.State.Normalize().Equal(d.State.Normalize()) {
			t.Fatalf("%+v\nis written as %+v\nand read as %+v, %v", d, out, again, err)
		}
	})
}

// checkRecognised: what was decoded, or could not be, is of the first format that
// matches, although not every one is asked before it decodes.
func checkRecognised(t *testing.T, metadata string, d Decoded, err error) {
	t.Helper()
	got := d.Format
	if e := (*Error)(nil); errors.As(err, &e) {
		got = e.Format
	}
	want := ""
	for i := range formats {
		if f := &formats[i]; want == "" && metadata != "" && f.match != nil && f.match(metadata) {
			want = f.Name
		}
	}
	if got != want {
		t.Fatalf("%q is %q, %v; the first to match is %q", metadata, got, err, want)
	}
}

// checkDecoded: the ranges are well-formed and bounded, and messages are fit
// for a terminal.
func checkDecoded(t *testing.T, metadata string, d Decoded) {
	t.Helper()
	// Two characters make one gap in a plain text; compression makes more.
	bound := len(metadata)
	if strings.HasPrefix(metadata, gzipBase64) {
		bound = maxGunzipped
	}
	if d.Format == "parallel-consumer" {
		bound = max(4*bound, pcMaxGaps(len(metadata)))
	}
	if d.State.Gaps.Len() > bound {
		t.Fatalf("%d gaps out of %d characters", d.State.Gaps.Len(), len(metadata))
	}
	last := int64(-1)
	for r := range d.State.Gaps.All() {
		if r.Empty() || r.Start <= last {
			t.Fatalf("gaps %v are not sorted, disjoint and apart", d.State.Gaps)
		}
		last = r.End
	}
	for _, a := range d.Anomalies {
		if a.Kind == "" || strings.ContainsFunc(a.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("anomaly %q", a)
		}
	}
}
