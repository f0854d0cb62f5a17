package repair

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// samplePlan has two changes of several kinds and a refusal, and bytes that
// are no text.
func samplePlan(t testing.TB) Plan {
	t.Helper()
	gaps, err := codec.ParseRanges("3-5,9")
	if err != nil {
		t.Fatal(err)
	}
	out, err := codec.Encode(codec.State{Stable: 3, Max: 20, Gaps: gaps}, parallelConsumer, "")
	if err != nil {
		t.Fatal(err)
	}
	s := snapshot(partition(newCommit(out.Committed, 2, out.Metadata), 0, 40), partition(newCommit(7, -1, "\xff\x1b[2J"), 0, 40), partition(newCommit(8, -1, "some text"), 50, 90))
	s.TakenAt = time.Date(2026, 3, 14, 3, 12, 0, 5_999_999, time.UTC)
	at := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	p, err := NewPlan(s, Reset{To: ToOffset, Offset: 10, ClearMetadata: true, At: &at, Done: []Target{{"orders", 0, gaps}}})
	if err != nil || len(p.Changes) != 2 || len(p.Refusals) != 1 {
		t.Fatalf("%+v %v", p, err)
	}
	return p
}

// document is the JSON of a plan or a result.
func document(t testing.TB, v inspect.JSONWriter) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := v.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written piece by piece is what the document's fields say.
func TestPlanIsWrittenAsItsFieldsSay(t *testing.T) {
	p := samplePlan(t)
	p.Group, p.Changes[0].Why = `"gaps":[] "changes":[]`, "<b>&\u0085 \"before\":null,\"after\":null"
	got := document(t, p)
	var d planDocument
	if err := strictly(got, &d); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		t.Fatal(err)
	}
	if want := inspect.EscapeJSON(bytes.TrimSpace(b.Bytes())); !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if d.Group != p.Group || d.Changes[0].Why != p.Changes[0].Why || d.Changes[0].Before.Gaps.String() != "3-5,9" {
		t.Errorf("%+v", d)
	}
}

// A plan that was saved is the same when it is loaded, and is its owner's.
func TestPlanFile(t *testing.T) {
	p := samplePlan(t)
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, []byte("what was there before"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := SavePlan(path, p); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	loaded, err := LoadPlan(path)
	if err != nil {
		t.Fatal(err)
	}
	if loaded.Digest() != p.Digest() || !reflect.DeepEqual(loaded.Op, p.Op) || !loaded.TakenAt.Equal(p.TakenAt) {
		t.Errorf("%+v, want %+v", loaded, p)
	}
	for i, c := range p.Changes {
		if got := loaded.Changes[i]; !got.Before.same(c.Before) || !got.After.same(c.After) || got.TopicID != c.TopicID {
			t.Errorf("%+v, want %+v", got, c)
		}
	}
	// So is one that was printed as JSON.
	var printed bytes.Buffer
	if err := inspect.Write(&printed, inspect.OutputJSON, p, inspect.Style{}); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(printed.Bytes(), 0x1b) {
		t.Error("an escape reaches the terminal")
	}
	if again, err := ReadPlan(&printed); err != nil || again.Digest() != p.Digest() {
		t.Errorf("%v", err)
	}
	if _, err := LoadPlan(path + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

// Whatever is changed in a plan file, it is refused: each field in turn gets
// another value, goes, or has a stranger beside it.
func TestPlanFileTampered(t *testing.T) {
	whole := document(t, samplePlan(t))
	tampered := 0
	var walk func(v any, render func() []byte)
	try := func(render func() []byte) {
		tampered++
		data := render()
		if _, err := ReadPlan(bytes.NewReader(data)); !errors.Is(err, ErrBadPlan) {
			t.Errorf("%v: accepted %s", err, data)
		}
	}
	walk = func(v any, render func() []byte) {
		switch v := v.(type) {
		case map[string]any:
			v["stranger"] = 1
			try(render)
			delete(v, "stranger")
			for key, old := range v {
				walk(old, render)
				for _, other := range others(old) {
					v[key] = other
					try(render)
				}
				v[key] = old
			}
		case []any:
			for i, old := range v {
				walk(old, render)
				v[i] = nil
				try(render)
				v[i] = old
			}
		}
	}
	var doc any
	if err := json.Unmarshal(whole, &doc); err != nil {
		t.Fatal(err)
	}
	walk(doc, func() []byte {
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return data
	})
	if tampered < 100 {
		t.Errorf("only %d ways to tamper", tampered)
	}
	for _, text := range []string{"", "null", "{}", "[]", string(whole) + string(whole), strings.Repeat("[", 100_000)} {
		if _, err := ReadPlan(strings.NewReader(text)); !errors.Is(err, ErrBadPlan) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	if checkSize(maxPlan, maxPlan) != nil || checkSize(maxPlan+1, maxPlan) == nil {
		t.Error("the limit is not the limit")
	}
}

// others are values that a field might have instead.
func others(old any) []any {
	switch old := old.(type) {
	case string:
		return []any{old + "1", 1}
	case float64:
		return []any{old + 1, -1 - old}
	case bool:
		return []any{!old}
	case nil:
		return []any{1, "x"}
	}
	return []any{"x", nil}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// No bytes make the reader panic.
func FuzzReadPlan(f *testing.F) {
	f.Add(document(f, samplePlan(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ReadPlan(bytes.NewReader(data))
		if err != nil {
			return
		}
		if q, err := ReadPlan(bytes.NewReader(document(t, p))); err != nil || q.Digest() != p.Digest() {
			t.Fatalf("what was read can not be read again: %v", err)
		}
	})
}

func TestParseTable(t *testing.T) {
	good := map[string]string{
		"orders,0,5\norders,1,7\n\n":                   "[{orders 0 5} {orders 1 7}]",
		"billing,orders,0,5\nother,orders,0,9\n":       "[{orders 0 5}]",
		"orders,0,5":                                   "[{orders 0 5}]",
		"orders,0,5\r\n\"a,b\",2,0\r\n":                "[{orders 0 5} {a,b 2 0}]",
		"billing,orders,0,9223372036854775807\n\n\n\n": "[{orders 0 9223372036854775807}]",
	}
	for text, want := range good {
		rows, err := ParseTable(strings.NewReader(text), "billing")
		if got := fmt.Sprint(rows); err != nil || got != want {
			t.Errorf("%q: %s %v, want %s", text, got, err, want)
		}
	}
	bad := map[string]string{
		"topic,partition,offset\n":         "line 1",
		"orders,0,5\norders,x,7\n":         "line 2",
		"orders,0,5\n\norders,1,-7\n":      "line 3",
		"orders,0,5\nbilling,orders,0,5\n": "line 2",
		"orders,0,5\norders,0,6\n":         "line 2",
		"orders,0\n":                       "line 1",
		"orders,0,5,,\n":                   "line 1",
		"orders,0,5\norders,1,\"7\n":       "line 2",
		"other,orders,0,5\n":               "no line is for group billing",
		"":                                 "no line",
		"orders,2147483648,5\n":            "line 1",
		"orders,0,9223372036854775808\n":   "line 1",
		",0,5\n":                           "line 1",
		"orders,0,5\norders 1 6\n":         "line 2",
		"billing,orders,0,5\norders,1,6\n": "line 2",
	}
	for text, want := range bad {
		if rows, err := ParseTable(strings.NewReader(text), "billing"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, rows, err, want)
		}
	}
	if _, err := ParseTable(io.MultiReader(strings.NewReader("orders,0,1\n"), endless{}), "billing"); err == nil {
		t.Error("endless: accepted")
	}
}

func TestParseTargets(t *testing.T) {
	targets, err := ParseTargets([]string{"orders/2@17-19", "a.b/0@5", "orders/2@23,18-20"})
	if err != nil || len(targets) != 2 || targets[0].String() != "a.b/0" || targets[1].String() != "orders/2" || targets[1].Ranges.String() != "17-20,23" {
		t.Errorf("%v %v", targets, err)
	}
	for _, text := range []string{"", "orders", "orders/2", "orders@17", "orders/2@", "orders/x@17", "/2@17", "orders/2@19-17", "orders/2@-1", "orders/-1@1", "orders/2@1@2", "orders/2147483648@1"} {
		if targets, err := ParseTargets([]string{text}); err == nil {
			t.Errorf("%q: %v", text, targets)
		}
	}
}

// Every op that is saved is the same when it is read.
func TestOpsSurviveJSON(t *testing.T) {
	for _, op := range []Op{
		Compact{}, Convert{To: "pyrallel"}, Undo{ID: "20260314T031200Z"}, Reset{To: ToLatest, Clamp: true},
		Reset{To: ToShift, Offset: -3, KeepDone: true}, Reset{To: ToTable, Table: []TableRow{{"orders", 0, 0}}},
	} {
		data, err := marshalOp(op)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unmarshalOp(data); err != nil || !reflect.DeepEqual(got, op) {
			t.Errorf("%s: %+v %v", data, got, err)
		}
	}
}
