package inspect

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

var checkedAt = time.Date(2026, time.March, 14, 3, 12, 0, 0, time.UTC)

// evidenceCase is a change of a healthy partition and of the evidence, and the
// one finding that it brings.
type evidenceCase struct {
	change func(g *Group, p *Partition, e *Evidence)
	kind   string // "" wants none
	level  Level
	ranges string
	remedy string
	says   []string
}

func openIn(e *Evidence, open ...transaction) {
	e.transactions = &openTransactions{
		open:    map[place][]transaction{{"orders", 2}: open},
		commits: map[string]place{"billing": {"__consumer_offsets", 7}},
	}
}

func evidenceCases() map[string]evidenceCase {
	withMember := func(g *Group) { g.Members = []Member{{ID: "m"}} }
	earlierSize := func(p *Partition, e *Evidence, size int) {
		before, entry := *p, *p.Entry
		entry.Size = size
		before.Entry = &entry
		e.Earlier, e.Elapsed = &Snapshot{Groups: []Group{{Name: "billing", Partitions: []Partition{before}}}}, 10*time.Second
	}
	return map[string]evidenceCase{
		"young": {change: func(_ *Group, p *Partition, _ *Evidence) { p.OldestGapAt = checkedAt.Add(-59 * time.Minute) }},
		"stuck without members": {func(_ *Group, p *Partition, _ *Evidence) { p.OldestGapAt = checkedAt.Add(-time.Hour) },
			"stuck", LevelWarn, "10-11", "gapctl records billing orders/2@10", []string{"3 records outstanding", "at 10, for 1h", "no member"}},
		"stuck with a member": {func(g *Group, p *Partition, _ *Evidence) {
			withMember(g)
			p.OldestGapAt = checkedAt.Add(-26 * time.Hour)
		}, "stuck", LevelWarn, "10-11", "gapctl records billing orders/2@10", []string{"1d2h", "1 member:"}},
		"stuck, but the first gap is phantom": {func(_ *Group, p *Partition, _ *Evidence) {
			p.OldestGapAt, p.Phantoms = checkedAt.Add(-2*time.Hour), span(10, 12)
		}, "stuck", LevelWarn, "15", "gapctl records billing orders/2@15", []string{"1 record outstanding"}},
		"stuck over two samples": {func(_ *Group, p *Partition, e *Evidence) {
			p.OldestGapAt = checkedAt.Add(-2 * time.Hour)
			earlierSize(p, e, 100)
		}, "stuck", LevelWarn, "10-11", "gapctl records billing orders/2@10", []string{"not done within 10s"}},
		"grows, but slowly": {change: func(_ *Group, p *Partition, e *Evidence) { earlierSize(p, e, 96) }},
		"shrinks":           {change: func(_ *Group, p *Partition, e *Evidence) { earlierSize(p, e, 104) }},
		"grows fast": {func(_ *Group, p *Partition, e *Evidence) {
			p.Size = 2096
			earlierSize(p, e, 2086)
		}, "near-limit", LevelWarn, "10-11,15", "gapctl records billing --topic orders/2", []string{"10 characters in 10s", "full in 33m20s", "takes no new records", "16m16s"}},
		"near, and grows": {func(_ *Group, p *Partition, e *Evidence) {
			p.Size = 3896
			earlierSize(p, e, 3895)
		}, "near-limit", LevelWarn, "10-11,15", "gapctl records billing --topic orders/2", []string{"3896 of 4096", "full in 33m20s"}},
		"open transaction": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e, transaction{ProducerID: 7, ProducerEpoch: 2, Start: 25, ID: "pay", Listed: true, State: "Ongoing",
				Since: checkedAt.Add(-12 * time.Minute), Timeout: 15 * time.Minute})
		}, "open-transaction", LevelInfo, "25-29", "", []string{`transactional ID "pay", producer 7 (epoch 2)`, "for 12m", "nothing from 25 on, which is 5 offsets", "aborts it 15m after"}},
		"long transaction": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e, transaction{Start: 25, ID: "pay", Listed: true, State: "Ongoing", Since: checkedAt.Add(-61 * time.Minute), Timeout: 2 * time.Hour})
		}, "open-transaction", LevelWarn, "25-29", "", []string{"for 1h1m"}},
		"hanging transaction": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e, transaction{ProducerID: 7, Start: 24, Listed: true, Since: checkedAt.Add(-2 * time.Minute)})
		}, "open-transaction", LevelError, "25-29",
			"kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic orders --partition 2 --start-offset 24", []string{"no coordinator knows", "hangs"}},
		"transaction beyond its timeout": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e, transaction{Start: 25, ID: "pay", Listed: true, State: "Ongoing", Since: checkedAt.Add(-5 * time.Minute), Timeout: time.Minute})
		}, "open-transaction", LevelError, "25-29",
			"kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic orders --partition 2 --start-offset 25", []string{"hangs"}},
		"transaction whose ID is not told": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e, transaction{ProducerID: 7, Start: 25, Since: checkedAt.Add(-5 * time.Minute)})
		}, "open-transaction", LevelInfo, "25-29", "", []string{"by producer 7 (epoch 0):"}},
		"transaction that has ended meanwhile": {change: func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e)
		}},
		"transaction of somebody": {func(_ *Group, p *Partition, e *Evidence) {
			p.LastStable = 25
			openIn(e)
			e.transactions.failed = map[place]error{{"orders", 2}: errors.New("denied")}
		}, "open-transaction", LevelInfo, "25-29", "", []string{"needs READ on the topic (denied)"}},
		"pending commit": {func(_ *Group, p *Partition, e *Evidence) {
			p.Pending = true
			openIn(e)
			e.transactions.open[place{"__consumer_offsets", 7}] = []transaction{{ID: "copier", Listed: true}}
		}, "open-transaction", LevelInfo, "", "", []string{"about to change this commit", `"copier"`}},
	}
}

func TestEvidence(t *testing.T) {
	for name, c := range evidenceCases() {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{TakenAt: checkedAt, Groups: []Group{{Name: "billing", Partitions: []Partition{healthy()}}}}
			g := &s.Groups[0]
			p := &g.Partitions[0]
			e := Evidence{StuckAfter: time.Hour}
			p.Raw = "bgACAAMAAQAE" // 10-11 and 15 of [10,20)
			c.change(g, p, &e)
			judge(g)
			p.Findings = nil // the rules without evidence have a test of their own
			Check(&s, &e)
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
			for _, says := range c.says {
				if !strings.Contains(f.Message, says) {
					t.Errorf("message %q does not say %q", f.Message, says)
				}
			}
		})
	}
}

// The restart rule tells from the bytes, the log and the sample what Parallel
// Consumer makes of a commit.
func TestRestartFinding(t *testing.T) {
	const startsComplete = "bgAAAAQAAgAD" // 4 done, 2 not, 3 done
	for name, c := range map[string]struct {
		change func(g *Group, p *Partition, s *sample)
		ranges string // "-": no finding
		says   string
	}{
		"sure by the sample": {func(_ *Group, p *Partition, s *sample) {
			s.partitions[p.Key] = &partitionSample{asked: span(10, 14), got: []sampledRecord{{offset: 12}}}
		}, "10-13,16-18", "7 records again that are done (10-13, 16-18)"},
		"the records are gone": {func(_ *Group, p *Partition, s *sample) { s.partitions[p.Key] = &partitionSample{asked: span(10, 14)} }, "-", ""},
		"the log begins later": {func(_ *Group, p *Partition, _ *sample) { p.LogStart = 14 }, "-", ""},
		"not sampled":          {func(*Group, *Partition, *sample) {}, "10-13,16-18", "if a record is left below 14"},
		"healthy": {func(_ *Group, p *Partition, _ *sample) {
			p.Raw, p.State = "bgACAAMAAQAE", healthy().State
		}, "-", ""},
		"another format in a group of its own": {func(_ *Group, p *Partition, _ *sample) {
			p.Raw, p.Format, p.Foreign = "AQAAAYvP5WgA", "kafka-streams", true
		}, "-", ""},
		"another format among maps": {func(g *Group, p *Partition, _ *sample) {
			p.Raw, p.Format, p.Foreign, p.State = "AQAAAYvP5WgA", "kafka-streams", true, codec.Complete(10)
			g.Partitions = append(g.Partitions, healthy())
			g.Partitions[1].Raw = ""
		}, "", "0.5.2.4 to 0.5.3: stops: the metadata is that of Kafka Streams"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{TakenAt: checkedAt, Groups: []Group{{Name: "billing", Partitions: []Partition{healthy()}}}}
			e := Evidence{sample: &sample{partitions: map[gapstore.Key]*partitionSample{}}}
			p := &s.Groups[0].Partitions[0]
			p.Raw, p.State = startsComplete, codec.State{Stable: 14, Max: 19, Gaps: span(14, 16)}
			c.change(&s.Groups[0], p, e.sample)
			Check(&s, &e)
			p = &s.Groups[0].Partitions[0]
			if c.ranges == "-" {
				if len(p.Findings) > 0 {
					t.Fatalf("found %+v", p.Findings)
				}
				return
			}
			if kinds(p) != "restart" || p.Findings[0].Level != LevelWarn || p.Findings[0].Ranges.String() != c.ranges || !strings.Contains(p.Findings[0].Message, c.says) {
				t.Errorf("found %+v, want restart of %s: %q", p.Findings, c.ranges, c.says)
			}
		})
	}
}

// One key, or one header, that the stuck records share and the done ones do not
// is suspected, and nothing else is.
func TestPoisonSuspects(t *testing.T) {
	key := func(value string) trait { return trait{isKey: true, value: value} }
	header := func(name, value string) trait { return trait{header: name, value: value} }
	old, recent := checkedAt.Add(-2*time.Hour), checkedAt.Add(-time.Minute)
	type r = sampledRecord
	for name, c := range map[string]struct {
		members int
		records []r // gaps are 10, 11 and 15, or 10 to 14 where the records are many
		ranges  string
		says    string
	}{
		"nothing in common": {0, []r{{10, old, []trait{key("a")}}, {11, old, []trait{key("b")}}, {15, old, []trait{key("c")}}}, "", ""},
		"one key": {0, []r{{10, recent, []trait{key("a")}}, {11, recent, []trait{key("a")}}, {15, recent, []trait{key("a")}}, {12, old, []trait{key("b")}}},
			"10-11,15", `3 of 3 stuck records of orders have the key "a", and 0 of 1 done ones`},
		"one key, of done ones too": {0, []r{{10, old, []trait{key("a")}}, {11, old, []trait{key("a")}}, {15, old, []trait{key("a")}}, {12, old, []trait{key("a")}}}, "", ""},
		"two are too few":           {0, []r{{10, old, []trait{key("a")}}, {11, old, []trait{key("a")}}}, "", ""},
		"under way":                 {1, []r{{10, recent, []trait{key("a")}}, {11, recent, []trait{key("a")}}, {15, recent, []trait{key("a")}}, {12, old, []trait{key("b")}}}, "", ""},
		"old, with a member": {1, []r{{10, old, []trait{key("a")}}, {11, old, []trait{key("a")}}, {15, old, []trait{key("a")}}, {12, old, []trait{key("b")}}},
			"10-11,15", `the key "a"`},
		"a header": {0, []r{
			{10, old, []trait{key("a"), header("schema", "7")}}, {11, old, []trait{key("b"), header("schema", "7")}}, {15, old, []trait{key("c"), header("schema", "7")}},
			{12, old, []trait{header("schema", "6")}},
		}, "10-11,15", `the header "schema": "7"`},
		"a header, with nothing to compare":  {0, []r{{10, old, []trait{header("h", "1")}}, {11, old, []trait{header("h", "1")}}, {15, old, []trait{header("h", "1")}}}, "", ""},
		"a key, with nothing to compare":     {0, []r{{10, old, []trait{key("\x1b")}}, {11, old, []trait{key("\x1b")}}, {15, old, []trait{key("\x1b")}}}, "10-11,15", `\x1b`},
		"no key at all":                      {0, []r{{10, old, nil}, {11, old, nil}, {15, old, nil}}, "", ""},
		"most of the stuck, few of the done": {0, manyRecords(old), "10-13", "4 of 5"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Snapshot{TakenAt: checkedAt, Groups: []Group{{Name: "billing", Members: make([]Member, c.members), Partitions: []Partition{healthy()}}}}
			p := &s.Groups[0].Partitions[0]
			p.Raw = "bgACAAMAAQAE"
			if len(c.records) > 5 {
				p.State.Gaps = span(10, 15)
			}
			e := Evidence{StuckAfter: time.Hour, sample: &sample{partitions: map[gapstore.Key]*partitionSample{p.Key: {got: c.records}}}}
			Check(&s, &e)
			if c.ranges == "" {
				if len(p.Findings) > 0 {
					t.Fatalf("found %+v", p.Findings)
				}
				return
			}
			if kinds(p) != "poison-suspect" || p.Findings[0].Ranges.String() != c.ranges || !strings.Contains(p.Findings[0].Message, c.says) {
				t.Errorf("found %+v, want poison-suspect %s: %q", p.Findings, c.ranges, c.says)
			}
		})
	}
}

// manyRecords are five in gaps, four of one key, and ten done, two of that key.
func manyRecords(at time.Time) []sampledRecord {
	var all []sampledRecord
	for offset := range int64(15) {
		value := "other"
		if offset < 2 || offset >= 10 && offset < 14 {
			value = "bad"
		}
		all = append(all, sampledRecord{offset, at, []trait{{isKey: true, value: value}}})
	}
	return all
}
