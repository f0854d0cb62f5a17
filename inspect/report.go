package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// What a report shows at most, so that a ticket can hold it.
const (
	reportGaps          = 500
	reportRecords       = 25 // the oldest of all
	reportRecordsPerLog = 5  // that are read of each partition
	reportKey           = 80 // characters of a key
)

// Report is what a report on one group is made of.
type Report struct {
	Snapshot Snapshot // of that group alone
	// Records are outstanding ones, as [ReadOldest] finds them.
	Records []Record
	Version string // of gapctl
}

// ReadOldest reads the first outstanding records of each partition of g, and is
// the oldest of them in order of their timestamps. What can not be read is told
// by the error; the others are there all the same.
func ReadOldest(ctx context.Context, store *gapstore.Store, g *Group) ([]Record, error) {
	var q RecordQuery
	for i := range g.Partitions {
		if p := &g.Partitions[i]; p.HasState() && p.knowsLog() {
			first := firstOffsets(p.State.Gaps.Clip(codec.Range{Start: p.LogStart, End: p.LogEnd}), reportRecordsPerLog)
			q.Only = append(q.Only, gapstore.Target{Topic: p.Topic, Partition: p.Partition, Ranges: first})
		}
	}
	if len(q.Only) == 0 {
		return nil, nil
	}
	var records []Record
	var failed error
	for found, err := range ReadRecords(ctx, store, g, q) {
		if err != nil {
			failed = errors.Join(failed, err)
		} else if found.Record != nil {
			records = append(records, *found.Record)
		}
	}
	slices.SortStableFunc(records, func(a, b Record) int { return a.Timestamp.Compare(b.Timestamp) })
	return records[:min(len(records), reportRecords)], failed
}

// WriteReport writes r as one HTML page for a ticket: it needs no network and
// no script, follows the reader's light or dark scheme, and can be printed.
func WriteReport(w io.Writer, r Report) error {
	if len(r.Snapshot.Groups) != 1 {
		return fmt.Errorf("a report is about one group, and not %d", len(r.Snapshot.Groups))
	}
	t, err := template.ParseFS(pages, "page.html", "report.html")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "report.html", newReportPage(r))
}

// reportPage is what the template asks for. All texts are clean.
type reportPage struct {
	page
	Version  string
	Group    GroupView
	Summary  string
	Numbers  []reportNumber
	Findings []reportFinding
	Parts    reportTable
	Records  reportTable
	Gaps     reportTable
	GapsMore int
	Members  reportTable
}

// reportNumber is one of the numbers that come first.
type reportNumber struct{ Name, Value, Note string }

// reportFinding is one finding, or an error in the place of one.
type reportFinding struct {
	Level                                Level
	Kind, Place, Message, Ranges, Remedy string
}

// reportTable is a table of texts.
type reportTable struct {
	Columns []Column
	Rows    [][]string
}

func newReportPage(r Report) reportPage {
	g := &r.Snapshot.Groups[0]
	now := Time{r.Snapshot.TakenAt}
	v := NewGroupView(g)
	p := reportPage{
		page:    page{Title: "Gap report: " + Clean(g.Name), ClusterID: Clean(r.Snapshot.ClusterID), TakenAt: now, Map: template.HTML(mapSVG(r.Snapshot, MapOptions{}))},
		Version: r.Version, Group: v, Summary: Clean(strings.TrimSpace(v.summary(now))), Numbers: reportNumbers(&v, now),
		Findings: reportFindings(g), Records: recordsTable(r.Records, now), Members: membersTable(g.Members),
	}
	described := NewDescribeView(r.Snapshot)
	p.Parts = textTable(described.Tables(Narrow)[0])
	p.Gaps, p.GapsMore = gapsTable(r.Snapshot)
	return p
}

func reportNumbers(v *GroupView, now Time) []reportNumber {
	oldest := reportNumber{"oldest gap", "-", "no record is known to wait"}
	if !v.OldestGapAt.IsZero() {
		oldest = reportNumber{"oldest gap", string(v.OldestGapAt.appendAge(nil, now)), "since " + v.OldestGapAt.String()}
	}
	return []reportNumber{
		{"outstanding", v.Outstanding.String(), "records in " + Plural(max(0, v.GapCount), "gap") + ", not committed"},
		oldest,
		{"true lag", v.TrueLag.String(), "records that really remain"},
		{"lag", v.Lag.String(), "what plain tools print"},
	}
}

// reportFindings are the findings, the worst first.
func reportFindings(g *Group) []reportFinding {
	var list []reportFinding
	for i := range g.Partitions {
		p := &g.Partitions[i]
		for _, f := range p.Findings {
			list = append(list, reportFinding{f.Level, f.Kind, Clean(p.place().String()), Clean(f.Message), Clean(string(appendShort(nil, f.Ranges))), Clean(f.Remedy)})
		}
		if p.unread() {
			list = append(list, reportFinding{Level: LevelError, Kind: ErrorClass(p.Err), Place: Clean(p.place().String()), Message: Clean(p.Err.Error())})
		}
	}
	slices.SortStableFunc(list, func(a, b reportFinding) int { return cmp.Compare(b.Level.rank(), a.Level.rank()) })
	return list
}

func recordsTable(records []Record, now Time) reportTable {
	t := reportTable{Columns: []Column{
		{Name: "topic/partition"}, {Name: "offset", Right: true}, {Name: "timestamp"}, {Name: "age", Right: true},
		{Name: "key"}, {Name: "bytes", Right: true}, {Name: "deliveries", Right: true},
	}}
	for _, r := range records {
		at := Time{r.Timestamp.Round(time.Millisecond)}
		key := "-"
		if r.Key != nil {
			key = clip(string(r.Key[:min(len(r.Key), utf8.UTFMax*reportKey)]), reportKey)
		}
		t.Rows = append(t.Rows, []string{
			Clean(place{r.Topic, r.Partition}.String()), Count(r.Offset).String(), at.String(), string(at.appendAge(nil, now)),
			Clean(key), Count(len(r.Key) + len(r.Value)).String(), Count(r.Deliveries).String(),
		})
	}
	return t
}

func membersTable(members []Member) reportTable {
	t := reportTable{Columns: []Column{{Name: "member"}, {Name: "instance"}, {Name: "client"}, {Name: "host"}}}
	for _, m := range members {
		t.Rows = append(t.Rows, []string{Clean(m.ID), Clean(m.InstanceID), Clean(m.ClientID), Clean(m.Host)})
	}
	return t
}

// gapsTable is the first gaps, and how many more there are.
func gapsTable(s Snapshot) (t reportTable, more int) {
	t.Columns = []Column{{Name: "topic/partition"}, {Name: "first", Right: true}, {Name: "last", Right: true}, {Name: "records", Right: true}}
	for g := range NewGapsView(s).Gaps() {
		if len(t.Rows) == reportGaps {
			more++
			continue
		}
		t.Rows = append(t.Rows, []string{
			Clean(place{g.Topic, g.Partition}.String()), Count(g.Start).String(), Count(g.End - 1).String(), Count(g.Count).String(),
		})
	}
	return t, more
}

// textTable is a table as texts.
func textTable(table Table) reportTable {
	t := reportTable{Columns: slices.Clone(table.Columns)}
	for i := range t.Columns {
		t.Columns[i].Name = strings.ToLower(t.Columns[i].Name)
	}
	for row := range table.Rows {
		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.String()
		}
		t.Rows = append(t.Rows, texts)
	}
	return t
}
