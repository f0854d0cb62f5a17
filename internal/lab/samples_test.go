package lab

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/codec"
)

// fetch is what the group has committed, decoded.
func fetch(t *testing.T, admin *kadm.Client, group string) map[place]decoded {
	t.Helper()
	offsets, err := admin.FetchOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[place]decoded)
	for _, o := range offsets.Sorted() {
		d, err := codec.Decode(o.Metadata, o.At)
		out[place{o.Topic, o.Partition}] = decoded{d, o.At, err}
	}
	return out
}

type place struct {
	topic     string
	partition int32
}

type decoded struct {
	codec.Decoded
	committed int64
	err       error
}

// TestSamples has every case look at one lab, which none of them changes.
func TestSamples(t *testing.T) {
	admin := kadm.NewClient(dial(t, start(t, Options{})))
	for name, check := range map[string]func(*testing.T, *kadm.Client){
		"commits are those of the table": checkTable,
		"every sample is a group":        checkGroups,
		"billing is the case of LAG":     checkBilling,
		"troubled commits":               checkTrouble,
		"bounds of the logs":             checkBounds,
	} {
		t.Run(name, func(t *testing.T) { check(t, admin) })
	}
}

func checkTable(t *testing.T, admin *kadm.Client) {
	for _, s := range samples(Now()) {
		got := fetchCommits(t, admin, s)
		offsets := slices.DeleteFunc(slices.Clone(s.commits), func(c commit) bool { return c.slot > 0 }) // those have none
		if len(got) != len(offsets) {
			t.Errorf("%s: %d commits, want %d", s.Name, len(got), len(offsets))
		}
		for _, c := range s.commits {
			d := got[place{c.topic, c.partition}]
			if c.format == "" || c.format == nativeFormat { // whose gaps are elsewhere
				if d.committed != c.stable {
					t.Errorf("%s %s/%d: committed %d, want %d", s.Name, c.topic, c.partition, d.committed, c.stable)
				}
				continue
			}
			gaps, err := codec.ParseRanges(c.gaps)
			if err != nil {
				t.Fatal(err)
			}
			want := codec.State{Stable: c.stable, Max: c.max, Gaps: gaps}
			if d.err != nil || d.Format != c.format || !d.State.Equal(want) {
				t.Errorf("%s %s/%d: %s [%d,%d) %s, error %v", s.Name, c.topic, c.partition, d.Format, d.State.Stable, d.State.Max, d.State.Gaps, d.err)
			}
			if err := want.Check(); err != nil {
				t.Errorf("%s %s/%d: %v", s.Name, c.topic, c.partition, err)
			}
		}
	}
}

// fetchCommits are the commits of a sample that its table lists.
func fetchCommits(t *testing.T, admin *kadm.Client, s sample) map[place]decoded {
	t.Helper()
	if len(s.commits) == 0 {
		return nil
	}
	return fetch(t, admin, s.Name)
}

func checkGroups(t *testing.T, admin *kadm.Client) {
	groups, err := admin.ListGroups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{liveGroup: "consumer", "inventory": "consumer", shareGroup: "share"}
	for _, s := range Samples() {
		want, ok := types[s.Name]
		if !ok {
			want = "classic"
		}
		if got := groups[s.Name].GroupType; got != want {
			t.Errorf("%s: type %q, want %q", s.Name, got, want)
		}
	}
	if len(groups) != len(Samples()) {
		t.Errorf("%d groups, %d samples", len(groups), len(Samples()))
	}
}

func checkBilling(t *testing.T, admin *kadm.Client) {
	ends, err := admin.ListEndOffsets(t.Context(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	var lag, outstanding, beyond int64
	for at, d := range fetch(t, admin, "billing") {
		end, _ := ends.Lookup(at.topic, at.partition)
		lag += end.Offset - d.committed
		outstanding += d.State.Outstanding()
		beyond += end.Offset - d.State.Max
	}
	if lag != 1113 || outstanding != 31 || beyond != 0 {
		t.Errorf("lag %d, outstanding %d, beyond max %d; want 1113, 31, 0", lag, outstanding, beyond)
	}
	old, err := admin.ListOffsetsAfterMilli(t.Context(), Now().Add(-192*time.Minute).UnixMilli(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	if oldest, _ := old.Lookup("orders", 0); oldest.Offset != 820 {
		t.Errorf("the first record from 3h12m ago is %d, want the oldest gap, 820", oldest.Offset)
	}
}

func checkTrouble(t *testing.T, admin *kadm.Client) {
	only := func(group, topic string, partition int32) decoded {
		return fetch(t, admin, group)[place{topic, partition}]
	}
	if d := only("notifications", "orders", 1); !errors.Is(d.err, codec.ErrCorrupt) {
		t.Errorf("notifications: error %v, want corrupt", d.err)
	}
	if d := only("fraud-scoring", "clicks", 0); d.Size <= MetadataLimit*3/4 || d.Size > MetadataLimit {
		t.Errorf("fraud-scoring: %d characters, want more than 3,072 and at most %d", d.Size, MetadataLimit)
	}
	if d := only("search-index", "clicks", 0); d.State.Gaps.Len() != 4000 {
		t.Errorf("search-index: %d gaps, want 4000", d.State.Gaps.Len())
	}
	if d := only("sales-dashboard", "orders", 0); !d.Foreign || d.Format != "kafka-streams" {
		t.Errorf("sales-dashboard: foreign %v, format %q", d.Foreign, d.Format)
	}
	if d := only("legacy-import", "payments", 0); !errors.Is(d.err, codec.ErrUnknownFormat) {
		t.Errorf("legacy-import: error %v, want unknown format", d.err)
	}
	if d := only("returns", "payments", 1); d.err != nil || len(d.Anomalies) == 0 {
		t.Errorf("returns: anomalies %v, error %v", d.Anomalies, d.err)
	}
	if got := len(fetch(t, admin, orphanGroup)); got != 1 {
		t.Errorf("coupons: %d commits, want 1", got)
	}
	if topics, err := admin.ListTopics(t.Context(), "coupons-2025"); err != nil || topics.Has("coupons-2025") {
		t.Errorf("coupons-2025 is still there, error %v", err)
	}
}

func checkBounds(t *testing.T, admin *kadm.Client) {
	starts, err := admin.ListStartOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := starts.Lookup("audit-log", 0); o.Offset != 700 {
		t.Errorf("audit-log starts at %d, want 700", o.Offset)
	}
	stables, err := admin.ListCommittedOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := stables.Lookup("settlements", 0); o.Offset != 20 {
		t.Errorf("settlements is stable up to %d, want 20", o.Offset)
	}
	ends, err := admin.ListEndOffsets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for topic, want := range map[string]int64{"settlements": 25, "transfers": 18, "stock": 150} {
		if o, _ := ends.Lookup(topic, 0); o.Offset != want {
			t.Errorf("%s ends at %d, want %d", topic, o.Offset, want)
		}
	}
}
