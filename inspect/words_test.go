package inspect

import (
	"strings"
	"testing"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// A text is cut between two characters, and not within one.
func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `""`,
		"é\xff":                    `"\u00e9\xff"`,
		strings.Repeat("é", 40):    `"` + strings.Repeat(`\u00e9`, 40) + `"`,
		strings.Repeat("aé", 21):   `"` + strings.Repeat(`a\u00e9`, 20) + `"…`,
		strings.Repeat("\xff", 41): `"` + strings.Repeat(`\xff`, 40) + `"…`,
	} {
		if got := quoted(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

func TestShortRanges(t *testing.T) {
	var ranges []codec.Range
	for want, n := range map[string]int{
		"0, 2, 4, 6, 8":                    5,
		"0, 2, 4, 6, 8, and 1 more range":  6,
		"0, 2, 4, 6, 8, and 2 more ranges": 7,
	} {
		ranges = ranges[:0]
		for i := range int64(n) {
			ranges = append(ranges, codec.Range{Start: 2 * i, End: 2*i + 1})
		}
		if got := shortRanges(codec.NewRanges(ranges...)); got != want {
			t.Errorf("%d ranges: %q, want %q", n, got, want)
		}
	}
}

// What a finding says of bytes that make no sense is not told again as an error.
func TestNotesTellOnce(t *testing.T) {
	p := healthy()
	p.Home = gapstore.HomeNative
	p.Anomalies = []codec.Anomaly{{Kind: anomalyMissingChunk, Message: "2 of 3"}}
	p.Err = &codec.Error{Class: codec.ErrCorrupt, Position: -1, Reason: "a chunk is missing"}
	g := Group{Partitions: []Partition{p}}
	judge(&g)
	v := newPartitionView(&g.Partitions[0])
	var told []string
	for _, note := range v.notes(nil) {
		told = append(told, note.Text)
	}
	text := strings.Join(told, "\n")
	if strings.Count(text, "missing") == 0 || strings.Contains(text, "error corrupt") {
		t.Errorf("told\n%s", text)
	}
}
