package codec

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// greyhoundVectors were made by GZIPOutputStream of JDK 17, save the plain
// text and the last, which has the operating system byte of JDK 15 and older.
func greyhoundVectors() []vector {
	return []vector{
		{"H4sIAAAAAAAA/zM0UDaINwQAzGnUJQYAAAA=", 10, "greyhound", "text-gzip", 0, 10, "0-1", ""},
		{"H4sIAAAAAAAA/zM0UAYANBHJpwMAAAA=", 10, "greyhound", "text-gzip", 10, 10, "", ""},
		{"H4sIAAAAAAAA/7NQNog3UDGJN1ExizcDAAMbowYNAAAA", 8, "greyhound", "text-gzip", 0, 8, "0,4,6", "forgotten-gaps"},
		{"H4sIAAAAAAAAADM0UDaINwQAzGnUJQYAAAA=", 10, "greyhound", "text-gzip", 0, 10, "0-1", ""},
		{"10#0_1", 10, "greyhound", "text", 0, 10, "0-1", ""},
		{"10#", 10, "greyhound", "text", 10, 10, "", ""},
		{"8#0_0$4_4$6_6", 8, "greyhound", "text", 0, 8, "0,4,6", "forgotten-gaps"},
	}
}

func TestGreyhoundVectors(t *testing.T) { checkVectors(t, greyhoundVectors()) }

func TestGreyhoundAnomalies(t *testing.T) {
	checkVectors(t, []vector{
		// Right after an assignment the first gap's start is committed with the old text.
		{"100#40_41", 40, "greyhound", "text", 40, 100, "40-41", ""},
		{"100#40_41", 70, "greyhound", "text", 40, 100, "40-41", "committed-differs"},
		{"100#", 70, "greyhound", "text", 100, 100, "", "committed-differs"},
		{"10#8_9", 10, "greyhound", "text", 8, 10, "8-9", ""},
		{"10#4_12", 10, "greyhound", "text", 4, 10, "4-9", "gap-above-offset"},
		{"10#10_12", 10, "greyhound", "text", 10, 10, "", "gap-above-offset"},
		{"20#7_8$2_3", 20, "greyhound", "text", 2, 20, "2-3,7-8", "forgotten-gaps,unsorted"},
		{"20#2_5$4_9", 20, "greyhound", "text", 2, 20, "2-9", "forgotten-gaps,unsorted"},
		{"20#2_5$6_9", 20, "greyhound", "text", 2, 20, "2-9", "forgotten-gaps"},
		{"10000000000#0_9999999998", 10000000000, "greyhound", "text", 0, 10000000000, "0-9999999998", ""},
		{"9223372036854775806#0_9223372036854775804", 0, "greyhound", "text", 0, 9223372036854775806, "0-9223372036854775804", ""},
	})
}

func TestGreyhoundRefuses(t *testing.T) {
	checkRefusals(t, "greyhound", []refusal{
		{"-1#", 0, ErrCorrupt, 0, "negative"},
		{"10#-2_3", 10, ErrCorrupt, 3, "negative"},
		{"10#2_-3", 10, ErrCorrupt, 5, "negative"},
		{"10#5_3", 10, ErrCorrupt, 3, "ends before it starts"},
		{"10", 10, ErrCorrupt, 2, "'#' expected"},
		{"#", 10, ErrCorrupt, 0, "offset expected"},
		{"10#1_2_3", 10, ErrCorrupt, 6, "'$' expected"},
		{"10#1_2$", 10, ErrCorrupt, 7, "offset expected"},
		{"10#1$2", 10, ErrCorrupt, 4, "'_' expected"},
		{"9223372036854775807#", 10, ErrCorrupt, 0, "63 bits"},
		{"10#1_99999999999999999999", 10, ErrCorrupt, 5, "63 bits"},
		{"H4sIAAAAAAAA/zM0UAY*NBHJpwMAAAA=", 10, ErrCorrupt, 19, "base64"},
		{"H4sIAAAAAAAA/zM0\nUAYANBHJpwMAAAA=", 10, ErrCorrupt, 16, "base64"},
		{"H4sI", 10, ErrCorrupt, 0, "gzip"},
		{"H4sIAAAAAAAA/zM0UAYANBHJpwQAAAA=", 10, ErrCorrupt, 23, "gzip"}, // wrong length in the trailer
		{"H4sIAAAAAAAA/zM0", 10, ErrCorrupt, 12, "gzip"},
	})
}

// TestGreyhoundTakesAnyGzip reads members with all header fields, of any
// level, without padding, and one after the other, as GZIPInputStream does.
func TestGreyhoundTakesAnyGzip(t *testing.T) {
	var b bytes.Buffer
	for _, part := range []string{"1000#3_", "5"} {
		w, err := gzip.NewWriterLevel(&b, gzip.HuffmanOnly)
		if err != nil {
			t.Fatal(err)
		}
		w.Name, w.Comment, w.Extra, w.OS = "name", "comment", []byte("extra"), 3
		fmt.Fprint(w, part)
		w.Close()
	}
	metadata := base64.RawStdEncoding.EncodeToString(b.Bytes())
	d, err := DecodeAs("greyhound", "", metadata, 1000)
	if err != nil || d.State.Gaps.String() != "3-5" {
		t.Fatalf("%q: %+v, %v", metadata, d, err)
	}
}

// TestGreyhoundWrites: the text and the gzip header are Java's; the compressed
// bytes are Go's own.
func TestGreyhoundWrites(t *testing.T) {
	for _, v := range greyhoundVectors() {
		d, err := Decode(v.metadata, v.committed)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Encode(d.State, "greyhound", "")
		if err != nil || out.Encoding != "text-gzip" || out.Committed != v.max || out.Size != len(out.Metadata) {
			t.Fatalf("%q: %+v, %v", v.metadata, out, err)
		}
		raw, err := base64.StdEncoding.DecodeString(out.Metadata)
		if err != nil || hex.EncodeToString(raw[:10]) != "1f8b08000000000000ff" {
			t.Errorf("%q: header %x, %v", v.metadata, raw[:10], err)
		}
		plain, err := Encode(d.State, "greyhound", "text")
		if err != nil {
			t.Fatal(err)
		}
		want, fault := v.metadata, (*Error)(nil)
		if v.encoding == "text-gzip" {
			want, fault = gunzip(v.metadata, maxGunzipped)
		}
		zipped, fault2 := gunzip(out.Metadata, maxGunzipped)
		if fault != nil || fault2 != nil || zipped != want || plain.Metadata != want {
			t.Errorf("%q: text %q, zipped text %q, want %q (%v, %v)", v.metadata, plain.Metadata, zipped, want, fault, fault2)
		}
	}
}

func gzipOf(text string) string {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	w.Write([]byte(text))
	w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestGreyhoundBomb(t *testing.T) {
	bomb := gzipOf("10#" + strings.Repeat("1", 16<<20))
	_, err := Decode(bomb, 10)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrTooLarge) || e.Limit != maxGunzipped || e.Need <= e.Limit {
		t.Fatalf("a bomb of %d characters: %v", len(bomb), err)
	}
	allocated := allocatedBy(func() { Decode(bomb, 10) })
	if allocated > 8<<20 {
		t.Errorf("a bomb of %d characters costs %d bytes", len(bomb), allocated)
	}
}

// TestGzipOfOthers: gzip that holds no such text is not taken for greyhound's.
func TestGzipOfOthers(t *testing.T) {
	for _, text := range []string{`{"offsets":[1,2]}`, "", "hello"} {
		if d, err := Decode(gzipOf(text), 10); !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("gzip of %q: %+v, %v", text, d, err)
		}
	}
}

// greyhoundOf is a state with that many gaps and ten-digit offsets.
func greyhoundOf(gaps int) State {
	var rs []Range
	for i := range int64(gaps) {
		rs = append(rs, Range{1_000_000_000 + 7*i, 1_000_000_002 + 7*i})
	}
	return State{Stable: 1_000_000_000, Max: 1_000_000_000 + 7*int64(gaps), Gaps: NewRanges(rs...)}
}
