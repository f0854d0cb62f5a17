package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// healthy is a partition about which there is nothing to say.
func healthy() Partition {
	return Partition{
		Entry: &gapstore.Entry{
			Key: gapstore.Key{Group: "billing", Topic: "orders", Partition: 2}, Home: gapstore.HomeCommit,
			Committed: 10, LeaderEpoch: 3, Format: "parallel-consumer", Size: 100, SizeLimit: 4096,
			State:   codec.State{Stable: 10, Max: 20, Gaps: codec.NewRanges(codec.Range{Start: 10, End: 12}, codec.Range{Start: 15, End: 16})},
			TopicID: [16]byte{1},
		},
		LogStart: 0, LogEnd: 30, LastStable: 30, LogID: [16]byte{1}, LogEpoch: 3,
	}
}

// native makes p's commit one in the native format.
func native(p *Partition) *Partition {
	p.Home, p.Format, p.SizeLimit = gapstore.HomeNative, "native", 0
	return p
}

// findingCase is a change of a healthy partition, and the one finding that it
// brings.
type findingCase struct {
	change func(p *Partition)
	kind   string // "" wants none
	level  Level
	ranges string
	remedy string
	says   string
}

func findingCases() map[string]findingCase {
	return map[string]findingCase{
		"nothing":         {func(*Partition) {}, "", "", "", "", ""},
		"lost":            {func(p *Partition) { p.LogStart = 11 }, "lost", LevelWarn, "10", "gapctl compact billing --topic orders/2", "1 record "},
		"log start below": {func(p *Partition) { p.LogStart = 10 }, "", "", "", "", ""},
		"orphan": {func(p *Partition) { p.LogStart, p.LogEnd, p.LogID, p.LogEpoch = -1, -1, [16]byte{}, -1 },
			"orphan", LevelWarn, "10-11,15", "", "Kafka drops it by itself"},
		"no leader": {func(p *Partition) {
			p.LogStart, p.LogEnd, p.Err = -1, -1, &gapstore.Error{Class: gapstore.ErrUnavailable}
		},
			"", "", "", "", ""},
		"beyond the end":   {func(p *Partition) { p.LogEnd = 18 }, "beyond-log-end", LevelError, "18-19", "gapctl reset billing --topic orders/2 --to-latest", "the log ends at 18"},
		"at the end":       {func(p *Partition) { p.LogEnd = 20 }, "", "", "", "", ""},
		"another topic ID": {func(p *Partition) { p.TopicID[0] = 9 }, "topic-recreated", LevelError, "0-19", "gapctl reset billing --topic orders/2 --to-earliest", "earlier topic"},
		"epoch fell":       {func(p *Partition) { p.LeaderEpoch = 4 }, "topic-recreated", LevelError, "0-19", "gapctl reset billing --topic orders/2 --to-earliest", ""},
		"epoch rose":       {func(p *Partition) { p.LogEpoch = 9 }, "", "", "", "", ""},
		"near the limit":   {func(p *Partition) { p.Size = 3073 }, "near-limit", LevelWarn, "10-11,15", "gapctl records billing --topic orders/2", "takes no new records"},
		"at 75 %":          {func(p *Partition) { p.Size = 3072 }, "", "", "", "", ""},
		"near, greyhound":  {func(p *Partition) { p.Size, p.Format = 3073, "greyhound" }, "near-limit", LevelWarn, "10-11,15", "gapctl records billing --topic orders/2", "will not fit"},
		"over the limit":   {func(p *Partition) { p.Size = 4097 }, "over-limit", LevelError, "10-11,15", "gapctl compact billing --topic orders/2", "4097"},
		"full":             {func(p *Partition) { p.Size = 4096 }, "near-limit", LevelWarn, "10-11,15", "gapctl records billing --topic orders/2", ""},
		"long text of Streams": {func(p *Partition) {
			p.Size, p.Format, p.Foreign, p.State = 4000, "kafka-streams", true, codec.Complete(10)
		},
			"foreign", LevelInfo, "", "", "Kafka Streams"},
		"corrupt": {func(p *Partition) {
			p.Err = &codec.Error{Class: codec.ErrCorrupt, Format: "parallel-consumer", Position: 4, Reason: "cut off"}
		}, "undecodable", LevelError, "", "gapctl reset billing --topic orders/2 --clear-metadata", "cut off"},
		"unknown text": {func(p *Partition) {
			p.Err, p.Raw, p.Format = &codec.Error{Class: codec.ErrUnknownFormat, Position: -1}, "by \x1b[31mhand", ""
		}, "foreign", LevelWarn, "", "gapctl reset billing --topic orders/2 --clear-metadata", `by \x1b[31mhand`},
		"not canonical": {func(p *Partition) { p.State.Max = 16 }, "not-canonical", LevelWarn, "10-11,15", "gapctl compact billing --topic orders/2", "last gap"},
		"anomaly": {func(p *Partition) { p.Anomalies = []codec.Anomaly{{Kind: "odd-tail", Message: "a byte too many"}} },
			"not-canonical", LevelInfo, "", "gapctl compact billing --topic orders/2", "a byte too many"},
		"native, moved forward": {func(p *Partition) { native(p).Committed = 13 },
			"diverged", LevelWarn, "10-11", "gapctl compact billing --topic orders/2", "from 10 to 13"},
		"native, moved back": {func(p *Partition) { native(p).Committed = 4 },
			"diverged", LevelWarn, "4-19", "gapctl compact billing --topic orders/2", "back from 10 to 4"},
		"native, about to move":      {func(p *Partition) { native(p).Committed, p.Pending = 4, true }, "open-transaction", LevelInfo, "", "", ""},
		"native, the offset expired": {func(p *Partition) { native(p).Committed = gapstore.NoOffset }, "", "", "", "", ""},
		"native, many bytes":         {func(p *Partition) { native(p).Size = 1 << 20 }, "", "", "", "", ""},
		"native, a chunk is missing": {func(p *Partition) {
			p.Anomalies = []codec.Anomaly{{Kind: "missing-chunk", Message: "2 of 3"}}
			native(p).Err = &codec.Error{Class: codec.ErrCorrupt, Format: "native", Position: -1}
		}, "missing-chunk", LevelError, "", "gapctl reset billing --topic orders/2 --clear-metadata", "2 of 3"},
		"native, newer software": {func(p *Partition) {
			native(p).Err = &codec.Error{Class: codec.ErrUnsupported, Format: "native", Position: -1, Reason: "version 9"}
		}, "undecodable", LevelError, "", "", "version 9"},
		"native, left over": {func(p *Partition) { p.Anomalies = []codec.Anomaly{{Kind: "native-leftover", Message: "do not count"}} },
			"native-leftover", LevelInfo, "", "gapctl compact billing --topic orders/2", "do not count"},
		"rejected": {func(p *Partition) {
			p.State.Delivery = []codec.Delivery{{Range: codec.Range{Start: 12, End: 14}, State: codec.Archived, Count: 1}}
		}, "rejected", LevelWarn, "12-13", "gapctl records billing --topic orders/2 --rejected", "2 records"},
		"one delivery left": {func(p *Partition) {
			p.State.Delivery = []codec.Delivery{{Range: codec.Range{Start: 10, End: 11}, State: codec.Available, Count: 4}, {Range: codec.Range{Start: 11, End: 12}, State: codec.Available, Count: 3}}
		}, "near-delivery-limit", LevelWarn, "10", "gapctl records billing --topic orders/2", "the limit is 5"},
		"acknowledged at the limit": {func(p *Partition) {
			p.State.Delivery = []codec.Delivery{{Range: codec.Range{Start: 12, End: 13}, State: codec.Acknowledged, Count: 4}}
		}, "", "", "", "", ""},
		"greyhound, several gaps": {func(p *Partition) { p.Format, p.Committed = "greyhound", 20 },
			"restart", LevelWarn, "10-11,15", "gapctl replay billing --topic orders/2 --to-topic RETRY-TOPIC", "never processes 3 records"},
		"greyhound, one gap": {func(p *Partition) {
			p.Format, p.Committed, p.State = "greyhound", 20, codec.State{Stable: 10, Max: 20, Gaps: span(10, 12)}
		}, "", "", "", "", ""},
		"pending": {func(p *Partition) { p.Pending = true }, "open-transaction", LevelInfo, "", "", "transaction"},
	}
}

func TestFindings(t *testing.T) {
	for name, c := range findingCases() {
		t.Run(name, func(t *testing.T) {
			g := Group{Name: "billing", DeliveryLimit: 5, Partitions: []Partition{healthy()}}
			p := &g.Partitions[0]
			c.change(p)
			judge(&g)
			if c.kind == "" {
				if len(p.Findings) > 0 {
					t.Fatalf("found %+v", p.Findings)
				}
				return
			}
			if len(p.Findings) != 1 {
				t.Fatalf("found %+v, want one %s", p.Findings, c.kind)
			}
			f := p.Findings[0]
			if f.Kind != c.kind || f.Level != c.level || f.Ranges.String() != c.ranges || f.Remedy != c.remedy {
				t.Errorf("found %+v (%v)\nwant %s %s %s: %s", f, f.Ranges, c.level, c.kind, c.ranges, c.remedy)
			}
			if !strings.Contains(f.Message, c.says) {
				t.Errorf("message %q does not say %q", f.Message, c.says)
			}
		})
	}
}

func TestFindingsComeSorted(t *testing.T) {
	g := Group{Partitions: []Partition{healthy()}}
	p := &g.Partitions[0]
	p.Size, p.LogStart, p.LogEnd = 5000, 11, 15
	judge(&g)
	judge(&g) // again: nothing is kept from before
	var kinds []string
	for _, f := range p.Findings {
		kinds = append(kinds, f.Kind)
	}
	if got := strings.Join(kinds, " "); got != "beyond-log-end lost over-limit" {
		t.Errorf("kinds %q", got)
	}
}

func TestShellQuote(t *testing.T) {
	for name, want := range map[string]string{
		"billing":     "billing",
		"a.b_c-1/2:3": "a.b_c-1/2:3",
		"two words":   "'two words'",
		"it's":        `'it'\''s'`,
		"$(reboot)":   "'$(reboot)'",
		"-rf":         "'-rf'",
		"=ls":         "'=ls'",
		"a=b":         "a=b",
		"":            "''",
		"*":           "'*'",
		"naïve":       "'naïve'",
	} {
		if got := shellQuote(name); got != want {
			t.Errorf("%q quoted is %s, want %s", name, got, want)
		}
	}
}

// TestRemediesQuote: whatever a finding suggests to run takes the group's name as
// one word.
func TestRemediesQuote(t *testing.T) {
	const name = "a'$(reboot)"
	quoted := shellQuote(name)
	suggested := 0
	check := func(t *testing.T, p *Partition) {
		for _, f := range p.Findings {
			if !strings.HasPrefix(f.Remedy, "gapctl ") {
				continue
			}
			suggested++
			if words := strings.SplitN(f.Remedy, " ", 3); !strings.HasPrefix(words[2], quoted+" ") {
				t.Errorf("%s: %s", f.Kind, f.Remedy)
			}
		}
	}
	for _, c := range findingCases() {
		g := Group{Name: name, Partitions: []Partition{healthy()}}
		p := &g.Partitions[0]
		p.Group = name
		c.change(p)
		judge(&g)
		check(t, p)
	}
	for _, c := range evidenceCases() {
		s := Snapshot{TakenAt: checkedAt, Groups: []Group{{Name: name, Partitions: []Partition{healthy()}}}}
		g := &s.Groups[0]
		p, e := &g.Partitions[0], Evidence{StuckAfter: time.Hour}
		p.Raw, p.Group = "bgACAAMAAQAE", name
		c.change(g, p, &e)
		e.sample = &sample{partitions: map[gapstore.Key]*partitionSample{p.Key: {got: manyRecords(checkedAt.Add(-2 * time.Hour))}}}
		if e.transactions == nil {
			p.State.Gaps = span(10, 15)
		}
		Check(&s, &e)
		check(t, p)
	}
	if suggested < 20 {
		t.Errorf("only %d commands were suggested", suggested)
	}
}
