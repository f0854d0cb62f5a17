package codec

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func zstdText(t *testing.T, magic byte, body []byte) string {
	t.Helper()
	payload, err := appendZstd([]byte{magic}, body)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(payload)
}

// Few bytes claim much; what is not refused must cost little.
func TestParallelConsumerBombs(t *testing.T) {
	bits := func(n int, pattern byte) []byte {
		body := append([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, bytes.Repeat([]byte{pattern}, n/8)...)
		return append(body, 0)
	}
	incomplete := bits(60_000_000, 0x00)
	for _, v := range []struct {
		name, metadata string
		class          error
		gaps           int
	}{
		{"one incomplete bit set of 7.5 MB", zstdText(t, 's', incomplete), nil, 1},
		{"one gap in each byte of 128 KiB", zstdText(t, 's', bits(1<<19, 0xfe)), nil, 1 << 16},
		{"alternating bits of 1 MiB", zstdText(t, 's', bits(1<<23, 0x55)), ErrTooLarge, 0},
		{"alternating runs of 4 MiB", zstdText(t, 'J', bytes.Repeat([]byte{0, 1}, 2<<20)), ErrTooLarge, 0},
		{"alternating bytes of 4 MiB", zstdText(t, 0xee, bytes.Repeat([]byte{0, 1}, 2<<20)), ErrTooLarge, 0},
		{"more than a body may hold", zstdText(t, 's', make([]byte, pcMaxBody+1)), ErrTooLarge, 0},
		{"largest bit set without bits", "b3////8=", nil, 1},
		{"largest runs", base64.StdEncoding.EncodeToString(append([]byte{'e'}, bytes.Repeat([]byte{0x7f, 0xff, 0xff, 0xff}, 300)...)), nil, 150},
		{"more distances than bytes", base64.StdEncoding.EncodeToString([]byte{'d', 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), ErrCorrupt, 0},
	} {
		d, err := Decode(v.metadata, 5)
		if !errors.Is(err, v.class) || d.State.Gaps.Len() != v.gaps {
			t.Errorf("%s: %d gaps, want %d: %v, want %v", v.name, d.State.Gaps.Len(), v.gaps, err, v.class)
		}
	}
}

// A frame that claims a window or a content size beyond the bound.
func TestParallelConsumerZstdClaims(t *testing.T) {
	window := "\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00"
	content := "\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00"
	for _, frame := range []string{window, content} {
		_, err := Decode(base64.StdEncoding.EncodeToString([]byte("a"+frame)), 5)
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("% x: %v, want too large", frame, err)
		}
	}
}

// Another writer may compress harder, state the size, or add a checksum.
func TestParallelConsumerForeignFrames(t *testing.T) {
	want := state(0, 4000, Range{0, 1}, Range{17, 3000})
	m := pcMapOf(want)
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBestCompression} {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(8<<20), zstd.WithEncoderCRC(true))
		if err != nil {
			t.Fatal(err)
		}
		payload := append([]byte{'a'}, e.EncodeAll(bitSet{2}.write(nil, m), nil)...)
		d, err := Decode(base64.StdEncoding.EncodeToString(payload), 0)
		if err != nil || !d.State.Equal(want) {
			t.Errorf("%v: %+v, want %+v: %v", level, d.State, want, err)
		}
	}
}

// A map is refused rather than written wrong or at a cost that follows the
// span.
func TestParallelConsumerEncodeLimits(t *testing.T) {
	const far = 10_000_000_000
	lone := state(7, 8+math.MaxInt16, Range{7, 8})
	for _, v := range []struct {
		name, encoding string
		state          State
		class          error
		metadata       string
	}{
		{"run of 32767", "run-length-v1", lone, nil, "bgABf/8="},
		{"run of 32768", "run-length-v1", state(7, 9+math.MaxInt16, Range{7, 8}), ErrTooLarge, ""},
		{"span of 32768", "bit-set-v1", lone, ErrTooLarge, ""},
		{"run of 2^31-1", "run-length-v2", state(0, 1<<31, Range{0, 1}), nil, "ZQAAAAF/////"},
		{"run of 2^31", "run-length-v2", state(0, 1<<31+1, Range{0, 1}), ErrTooLarge, ""},
		{"bit set of 256 MiB", "bit-set-v2", state(0, 1<<31-1, Range{0, 1}), ErrTooLarge, ""},
		{"bit set of 256 MiB", "bit-set-v2-zstd", state(0, 1<<31-1, Range{0, 1}), ErrTooLarge, ""},
		{"span of 2^31", "bit-set-v2", state(0, 1<<31, Range{0, 1}), ErrTooLarge, ""},
		{"nothing can hold it", "", state(0, far, Range{0, 1}), ErrTooLarge, ""},
		{"read only", "delta-list", lone, ErrUnsupported, ""},
		{"read only", "byte-array", lone, ErrUnsupported, ""},
		{"read only", "envelope", lone, ErrUnsupported, ""},
		{"far apart, in runs", "", state(0, 6_000_000_000, Range{0, 2_000_000_000}, Range{4_000_000_000, 5_000_000_000}), nil, "ZXc1lAB3NZQAO5rKADuaygA="},
		{"no gaps", "", Complete(far), nil, ""},
		{"no gaps", "bit-set-v1", Complete(far), nil, ""},
		{"not canonical", "run-length-v1", State{Stable: 0, Max: 9, Gaps: NewRanges(Range{2, 3}, Range{5, 9})}, nil, "bgABAAI="},
	} {
		e, err := Encode(v.state, "parallel-consumer", v.encoding)
		if !errors.Is(err, v.class) || e.Metadata != v.metadata {
			t.Errorf("%s, %s: %q %v, want %q %v", v.encoding, v.name, e.Metadata, err, v.metadata, v.class)
		}
		if err == nil && e.Committed != v.state.Normalize().Stable {
			t.Errorf("%s, %s: committed %d", v.encoding, v.name, e.Committed)
		}
	}
}

// What is written can be read: the bound on gaps holds for both.
func TestParallelConsumerWritesNothingUnreadable(t *testing.T) {
	var rs []Range
	for i := int64(0); i < 400_000; i++ {
		rs = append(rs, Range{2 * i, 2*i + 1})
	}
	s := State{Max: 800_000, Gaps: NewRanges(rs...)}
	if _, err := Encode(s, "parallel-consumer", "bit-set-v2-zstd"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v, want too large", err)
	}
	e, err := Encode(s, "parallel-consumer", "")
	if err != nil || strings.HasSuffix(e.Encoding, "-zstd") {
		t.Fatalf("%s: %v", e.Encoding, err)
	}
	if d, err := Decode(e.Metadata, e.Committed); err != nil || !d.State.Equal(s) {
		t.Errorf("%s: %d gaps: %v", e.Encoding, d.State.Gaps.Len(), err)
	}
}
