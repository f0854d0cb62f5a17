package codec

import (
	"bytes"
	"encoding/base64"
	"strings"
	"sync"
	"testing"
)

// pcGolden is a state as Parallel Consumer 0.5.3.3 wrote it and read it back.
type pcGolden struct {
	Committed int64      `json:"committed"`
	Highest   int64      `json:"highest_succeeded"`
	Gaps      [][2]int64 `json:"incompletes"`
	Encoding  string     `json:"encoding"`
	Smallest  bool       `json:"smallest"`
	Metadata  string     `json:"metadata"`
	DecodedTo int64      `json:"decoded_highest"`
	Decoded   [][2]int64 `json:"decoded_incompletes"`
}

func rangesOf(pairs [][2]int64) Ranges {
	var rs []Range
	for _, p := range pairs {
		rs = append(rs, Range{p[0], p[1]})
	}
	return NewRanges(rs...)
}

// name is the name of the encoding here, from that of the enum constant.
func (g pcGolden) name() string {
	base, compressed := strings.CutSuffix(g.Encoding, "Compressed")
	name := map[string]string{"BitSet": "bit-set-v1", "BitSetV2": "bit-set-v2", "RunLength": "run-length-v1", "RunLengthV2": "run-length-v2"}[base]
	if compressed {
		name += "-zstd"
	}
	return name
}

func readPCGolden(t testing.TB) []pcGolden {
	t.Helper()
	all := readLines[pcGolden](t, "parallel-consumer.jsonl")
	if len(all) != 480 {
		t.Fatalf("%d golden states, want 480", len(all))
	}
	return all
}

func TestParallelConsumerGoldenDecode(t *testing.T) {
	for i, g := range readPCGolden(t) {
		d, err := Decode(g.Metadata, g.Committed)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		gaps := rangesOf(g.Decoded)
		want := State{Stable: g.DecodedTo + 1, Max: g.DecodedTo + 1, Gaps: gaps}
		if !gaps.Empty() {
			want.Stable = gaps.First().Start
		}
		if d.Format != "parallel-consumer" || d.Encoding != g.name() || !d.State.Equal(want) {
			t.Errorf("%d: %s %s %+v, want %s %+v", i, d.Format, d.Encoding, d.State, g.name(), want)
		}
		// One of the states has no gaps: its map starts complete, which is noted.
		if len(d.Anomalies) > 0 != (gaps.Empty()) {
			t.Errorf("%d: anomalies %v", i, d.Anomalies)
		}
	}
}

// The bytes are compared below Encode, which writes no metadata for a state
// without gaps; one golden state is such.
func TestParallelConsumerGoldenEncode(t *testing.T) {
	layouts := map[string]*pcLayout{}
	for i := range pcLayouts {
		layouts[pcLayouts[i].name] = &pcLayouts[i]
	}
	for i, g := range readPCGolden(t) {
		m := pcMap{base: g.Committed, n: g.Highest + 1 - g.Committed, gaps: rangesOf(g.Gaps).rs}
		l := layouts[g.name()]
		size, err := l.size(m)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		payload, err := l.payload(m, size)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		text := base64.StdEncoding.EncodeToString(payload)
		if !l.zstd && text != g.Metadata {
			t.Errorf("%d: %s\n got %s\nwant %s", i, l.name, text, g.Metadata)
		}
		if l.zstd && !bytes.HasPrefix(payload[1:], []byte("\x28\xb5\x2f\xfd\x00\x58")) {
			t.Errorf("%d: frame header % x", i, payload[:7])
		}
		want, err := DecodeAs("parallel-consumer", "", g.Metadata, g.Committed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeAs("parallel-consumer", "", text, g.Committed)
		if err != nil || !got.State.Equal(want.State) || got.Encoding != g.name() {
			t.Errorf("%d: %s read back %s %+v, want %+v: %v", i, l.name, got.Encoding, got.State, want.State, err)
		}
	}
}

// Buffers are reused between maps, and must not be shared by readers.
func TestParallelConsumerGoldenConcurrently(t *testing.T) {
	golden := readPCGolden(t)
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := worker; i < len(golden); i += 3 {
				g := golden[i]
				d, err := Decode(g.Metadata, g.Committed)
				if err != nil || d.Encoding != g.name() || !d.State.Gaps.Equal(rangesOf(g.Decoded)) {
					t.Errorf("%s: %s %v: %v", g.Metadata, d.Encoding, d.State.Gaps, err)
				}
				s := d.State.Normalize()
				e, err := Encode(s, "parallel-consumer", "")
				if err != nil {
					t.Errorf("%s: %v", g.Metadata, err)
				}
				if d, err = DecodeAs("parallel-consumer", "", e.Metadata, e.Committed); err != nil || !d.State.Equal(s) {
					t.Errorf("%s: %+v, want %+v: %v", e.Metadata, d.State, s, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestParallelConsumerGoldenSmallest(t *testing.T) {
	for i, g := range readPCGolden(t) {
		if !g.Smallest {
			continue
		}
		d, err := Decode(g.Metadata, g.Committed)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Smallest("parallel-consumer", d.State, len(g.Metadata))
		if err != nil {
			t.Errorf("%d: %s %d: %v", i, g.Encoding, len(g.Metadata), err)
			continue
		}
		back, err := Decode(e.Metadata, e.Committed)
		if err != nil || !back.State.Equal(d.State.Normalize()) {
			t.Errorf("%d: read back %+v, want %+v: %v", i, back.State, d.State, err)
		}
	}
}
