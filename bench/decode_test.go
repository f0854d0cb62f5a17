package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkDecodeGolden decodes the states that Parallel Consumer wrote, with
// its own decoder, warmed up, and with ours, by the time that they have of a
// core. It prints the time per state, and the ratio, by encoding.
func BenchmarkDecodeGolden(b *testing.B) {
	const each = time.Second
	byEncoding := goldenCommits(b, "../testdata/golden/parallel-consumer.jsonl")
	names := slices.Sorted(maps.Keys(byEncoding))
	var work []kafkatest.PCWork
	var ours []*timed
	for _, name := range names {
		for _, c := range byEncoding[name] {
			work = append(work, kafkatest.PCWork{Name: name, Committed: c.Committed, Metadata: c.Metadata})
		}
		ours = append(ours, &timed{of: len(byEncoding[name]), run: func() {
			for _, c := range byEncoding[name] {
				if _, err := codec.Decode(c.Metadata, c.Committed); err != nil {
					b.Fatal(err)
				}
			}
		}})
	}
	theirs := kafkatest.PCTimes(b, work, each)
	rounds(b, cpuClock, each, ours...)
	text := fmt.Sprintf("%-24s %14s %14s %8s\n", b.Name(), "library", "gapctl", "ratio")
	for i, name := range names {
		took, library := ours[i].median(), theirs[name].PerState
		ratio := float64(library) / float64(took)
		text += fmt.Sprintf("%-24s %14v %14v %7.1f×\n", name, library, took, ratio)
		if name == "all" {
			b.ReportMetric(ratio, "times-faster")
			boardLine{"Decode a state of Parallel Consumer", shortTime(took), "the library's decoder", shortTime(library), timesOf(1 / ratio)}.note()
		}
	}
	b.ReportMetric(0, "ns/op")
	fmt.Fprint(os.Stderr, "\n", text)
}

type goldenCommit struct {
	Committed          int64
	Metadata, Encoding string
}

// goldenCommits are the commits of the file by encoding, and under "all".
func goldenCommits(b *testing.B, file string) map[string][]goldenCommit {
	b.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	commits := map[string][]goldenCommit{}
	for line := range strings.Lines(string(data)) {
		var c goldenCommit
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			b.Fatal(err)
		}
		commits[c.Encoding] = append(commits[c.Encoding], c)
		commits["all"] = append(commits["all"], c)
	}
	return commits
}
