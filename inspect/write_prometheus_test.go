package inspect

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// promSample is one line of the text format.
type promSample struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	promName  = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	promLabel = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|\})`)
)

// parsePrometheus reads the text format, and refuses what a scraper could take
// badly: samples without HELP and TYPE just before them, metrics in pieces, the
// same series twice.
func parsePrometheus(t *testing.T, text string) []promSample {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Fatal("the last line does not end")
	}
	var samples []promSample
	seen := map[string]bool{} // metrics and series
	helped, current := "", ""
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			helped, _, _ = strings.Cut(rest, " ")
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if name != helped || kind != "gauge" || seen[name] {
				t.Fatalf("%q after the help of %s", line, helped)
			}
			seen[name], current = true, name
			continue
		}
		s := promSample{name: promName.FindString(line), labels: map[string]string{}}
		if s.name != current || seen[line[:strings.LastIndex(line, " ")]] {
			t.Fatalf("%q among samples of %s, or twice", line, current)
		}
		seen[line[:strings.LastIndex(line, " ")]] = true
		rest, ok := strings.CutPrefix(line[len(s.name):], "{")
		for ok {
			m := promLabel.FindStringSubmatch(rest)
			if m == nil {
				t.Fatalf("labels of %q", line)
			}
			s.labels[m[1]] = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n").Replace(m[2])
			rest, ok = rest[len(m[0]):], m[3] == ","
		}
		value, err := strconv.ParseFloat(strings.TrimPrefix(rest, " "), 64)
		if err != nil || !strings.HasPrefix(rest, " ") {
			t.Fatalf("value of %q: %v", line, err)
		}
		s.value = value
		samples = append(samples, s)
	}
	return samples
}

func TestPrometheus(t *testing.T) {
	broken := healthy()
	broken.Partition, broken.LogStart, broken.LogEnd, broken.Committed, broken.SizeLimit = 3, -1, -1, -1, 0
	broken.Err = fmt.Errorf("no leader")
	odd := healthy()
	odd.Group = "say \"hi\"\\\n\x1b[31m\xff"
	odd.OldestGapAt, odd.Size = checkedAt.Add(-90*time.Second), 1024
	odd.Findings = []Finding{{Kind: "stuck", Level: LevelWarn}, {Kind: "lost", Level: LevelWarn}}
	s := Snapshot{ClusterID: "c", TakenAt: checkedAt, Groups: []Group{
		{Name: "billing", Partitions: []Partition{healthy(), broken}}, {Name: odd.Group, Partitions: []Partition{odd}, Members: make([]Member, 2)},
	}}
	var out bytes.Buffer
	if err := NewCheckView(s).WritePrometheus(&out); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, s := range parsePrometheus(t, out.String()) {
		got[strings.Join([]string{s.name, s.labels["group"], s.labels["topic"], s.labels["partition"], s.labels["kind"], s.labels["level"]}, "|")] = s.value
	}
	name := Clean(odd.Group)
	for series, want := range map[string]float64{
		"gapctl_check_timestamp_seconds|||||":                             1773457920,
		"gapctl_group_members|" + name + "||||":                           2,
		"gapctl_partition_outstanding|billing|orders|2||":                 3,
		"gapctl_partition_gaps|billing|orders|2||":                        2,
		"gapctl_partition_lag|billing|orders|2||":                         20,
		"gapctl_partition_true_lag|billing|orders|2||":                    13,
		"gapctl_partition_oldest_gap_age_seconds|" + name + "|orders|2||": 90,
		"gapctl_partition_room_ratio|" + name + "|orders|2||":             0.25,
		"gapctl_partition_finding|" + name + "|orders|2|stuck|warn":       1,
		"gapctl_findings|||||warn":                                        2,
		"gapctl_findings|||||error":                                       0,
		"gapctl_partition_read|billing|orders|3||":                        0,
		"gapctl_partition_read|billing|orders|2||":                        1,
	} {
		if value, ok := got[series]; !ok || value != want {
			t.Errorf("%s is %v (%t), want %v", series, value, ok, want)
		}
	}
	for _, series := range []string{"gapctl_partition_lag", "gapctl_partition_outstanding", "gapctl_partition_room_ratio", "gapctl_partition_oldest_gap_age_seconds"} {
		if value, ok := got[series+"|billing|orders|3||"]; ok {
			t.Errorf("%s of a partition where it is not known: %v", series, value)
		}
	}
}
