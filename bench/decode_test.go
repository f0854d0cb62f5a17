package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkDecodeGolden decodes the states that Parallel Consumer wrote, with
// its own decoder, warmed up, and with ours; one core each. It prints the time
// per state, and the ratio, by encoding.
func BenchmarkDecodeGolden(b *testing.B) {
	const file = "../testdata/golden/parallel-consumer.jsonl"
	const each = 2 * time.Second
	theirs := kafkatest.PCDecodeTimes(b, file, each)
	byEncoding := goldenCommits(b, file)
	text := fmt.Sprintf("%-24s %14s %14s %8s\n", b.Name(), "library", "gapctl", "ratio")
	for _, name := range slices.Sorted(maps.Keys(byEncoding)) {
		ours := timePerState(b, byEncoding[name], each)
		ratio := float64(theirs[name]) / float64(ours)
		text += fmt.Sprintf("%-24s %14v %14v %7.1f×\n", name, theirs[name], ours, ratio)
		if name == "all" {
			b.ReportMetric(ratio, "times-faster")
			boardLine{"Decode a state of Parallel Consumer", ours.String(), "the library's decoder", theirs[name].String(), timesOf(1 / ratio)}.note()
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

func timePerState(b *testing.B, commits []goldenCommit, least time.Duration) time.Duration {
	b.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	decoded, start := 0, time.Now()
	for time.Since(start) < least {
		for _, c := range commits {
			if _, err := codec.Decode(c.Metadata, c.Committed); err != nil {
				b.Fatal(err)
			}
		}
		decoded += len(commits)
	}
	return time.Since(start) / time.Duration(decoded)
}
