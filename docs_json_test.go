package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/cmd"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/internal/lab"
)

// contractLines are commands whose JSON shows each object of the contract; DIR
// is a directory, and LAST the ID of the repair before.
func contractLines() []string {
	return []string{
		"list --all", "describe --all", "gaps --all", "check --stuck-after 1s", "map billing audit-export",
		"describe stock-sync coupons audit-export settlement checkout fraud-scoring ledger returns legacy-import",
		"records billing --values", "records email-sender --rejected", "records checkout --values",
		"decode --committed 100 bgAIAH4= xx", "decode --batch", "encode --batch",
		"encode --stable 3 --max 20 --gaps 3-5", "encode --stable 0 --max 20 --gaps 3-5", "encode --stable 3 --max 20 --gaps 3-5 --format native",
		"skip billing orders/0@820 orders/9@1", "reset warehouse --to-latest", "reset billing --delete-offsets", "replay email-sender --rejected --to-topic emails",
		"skip billing orders/0@820 --execute --yes", "reset warehouse --to-latest --execute --yes", "undo", "undo LAST", "diff DIR/before.json",
		"context list", "context show", "context test", "version",
	}
}

// TestJSONContract: what the commands print is what docs/JSON.md says, field by
// field and both ways, and each object that it has is seen.
func TestJSONContract(t *testing.T) {
	c := readContract(t)
	l, err := lab.Start(t.Context(), lab.Options{})
	check(t, err)
	defer l.Close()
	dir := t.TempDir()
	s := contractScene{t: t, dir: dir, env: map[string]string{
		"GAPCTL_BOOTSTRAP_SERVER": l.Addr(), "GAPCTL_OUTPUT": "json", "XDG_STATE_HOME": dir, "GAPCTL_CONFIG": filepath.Join(dir, "config.yaml"),
	}}
	before, _ := s.run("describe billing warehouse")
	check(t, os.WriteFile(filepath.Join(dir, "before.json"), []byte(before), 0o600))
	s.run("context add here -b " + l.Addr())
	for _, line := range contractLines() {
		out, errs := s.run(line)
		for doc := range strings.Lines(out) {
			c.document(t, line, doc)
		}
		if last := strings.LastIndex("\n"+errs, "\n{"); last >= 0 {
			c.check(t, line, "error", parsed(t, errs[last:]))
		}
	}
	for line, doc := range rareDocuments(t) {
		c.document(t, line, doc)
	}
	for _, name := range slices.Sorted(maps.Keys(c.objects)) {
		if !c.seen[name] {
			t.Errorf("no command has printed a %s: the test does not see whether it is so", name)
		}
	}
}

// rareDocuments are what no command prints of a lab.
func rareDocuments(t *testing.T) map[string]string {
	t.Helper()
	at := inspect.Snapshot{ClusterID: "c", TakenAt: time.Now(), Groups: []inspect.Group{{Name: "billing", Err: errors.New("it is silent")}}}
	history := inspect.NewHistoryView(at, "billing", inspect.History{Commits: []inspect.Commit{{At: time.Now()}}})
	docs := map[string]string{}
	for line, view := range map[string]inspect.View{"history billing": history, "check billing": inspect.NewCheckView(at)} {
		var out strings.Builder
		check(t, inspect.Write(&out, inspect.OutputJSON, view, inspect.Style{}))
		docs[line] = out.String()
	}
	var out strings.Builder
	w, err := inspect.NewRecordWriter(&out, inspect.RecordStyle{Output: inspect.OutputJSON, Values: true})
	check(t, err)
	record := &kgo.Record{Key: []byte("\xff"), Headers: []kgo.RecordHeader{{Key: "k"}, {Key: "k", Value: []byte("\xff")}}, Timestamp: time.Now()}
	check(t, w.Write(&inspect.Record{Record: record, State: inspect.RecordDone}))
	check(t, w.Close())
	docs["records billing"] = out.String()
	return docs
}

// contractScene is where the commands run.
type contractScene struct {
	t   *testing.T
	dir string
	env map[string]string
	id  string // of the repair before
}

func (s *contractScene) run(line string) (out, errs string) {
	s.t.Helper()
	in := `{"metadata":"bgAIAH4=","committed":100,"id":1}` + "\n" + `{"topic":"__consumer_offsets","key":"AAEAAWcAAXQAAAAA","value":null}` + "\n"
	if strings.HasPrefix(line, "encode") {
		in = `{"stable":3,"max":20,"gaps":[{"start":3,"end":6}],"id":"x"}` + "\n"
	}
	var stdout, stderr bytes.Buffer
	args := strings.Fields(strings.NewReplacer("DIR", s.dir, "LAST", s.id).Replace(line))
	cmd.Main(args, cmd.World{In: strings.NewReader(in), Out: &stdout, Err: &stderr, Getenv: func(name string) string { return s.env[name] }, Now: time.Now})
	if m := regexp.MustCompile(`"id":"(\d{8}T\d{6}Z(?:-\d+)?)"`).FindStringSubmatch(stdout.String()); m != nil {
		s.id = m[1]
	}
	return stdout.String(), stderr.String()
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return v
}

// contract is the objects of docs/JSON.md: their fields, and the types of these.
type contract struct {
	objects map[string]map[string]string
	seen    map[string]bool
}

func readContract(t *testing.T) contract {
	t.Helper()
	text, err := os.ReadFile("docs/JSON.md")
	check(t, err)
	c := contract{map[string]map[string]string{}, map[string]bool{}}
	name := ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "### "); ok {
			name = strings.TrimSpace(title)
		}
		row := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(row) < 2 || !strings.HasPrefix(line, "| `") && !strings.HasPrefix(line, "| …") || name == "" {
			continue
		}
		field := strings.Trim(row[0], " `")
		if c.objects[name] == nil {
			c.objects[name] = map[string]string{}
		}
		if len(row) == 3 {
			c.objects[name][field] = strings.TrimSpace(row[1])
		}
	}
	if within := c.objects["encode"]["…"]; within != "" {
		delete(c.objects["encode"], "…")
		maps.Copy(c.objects["encode"], c.objects[within])
	}
	return c
}

// document checks one document or line.
func (c *contract) document(t *testing.T, line, text string) {
	t.Helper()
	doc := parsed(t, text).(map[string]any)
	name, _ := doc["kind"].(string)
	verb, _, _ := strings.Cut(line, " ")
	switch {
	case name != "":
	case verb == "records":
		name = "record"
	default:
		name = verb + "d" // decoded, encoded
	}
	c.check(t, line, name, doc)
}

// check checks a value of a type.
func (c *contract) check(t *testing.T, where, kind string, v any) {
	t.Helper()
	if rest, ok := strings.CutPrefix(kind, "absent or "); ok {
		kind = rest
	}
	if rest, ok := strings.CutSuffix(kind, " or null"); ok {
		if v == nil {
			return
		}
		kind = rest
	}
	if of, ok := strings.CutPrefix(kind, "list of "); ok {
		list, ok := v.([]any)
		if !ok {
			t.Errorf("%s is %v, and no list", where, v)
		}
		for _, element := range list {
			c.check(t, where+"[]", of, element)
		}
		return
	}
	if fields, ok := c.objects[kind]; ok {
		c.seen[kind] = true
		c.fields(t, where, fields, v)
		return
	}
	if !isA(kind, v) {
		t.Errorf("%s is %.100v, and no %s", where, v, kind)
	}
}

// fields checks that an object has these, and no others.
func (c *contract) fields(t *testing.T, where string, fields map[string]string, v any) {
	t.Helper()
	object, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s is %.100v, and no object", where, v)
	}
	for name, value := range object {
		if fields[name] == "" {
			t.Errorf("%s has a field %q, which is not documented", where, name)
			continue
		}
		c.check(t, where+"."+name, fields[name], value)
	}
	for name, kind := range fields {
		if _, has := object[name]; !has && !strings.HasPrefix(kind, "absent or ") {
			t.Errorf("%s has no field %q", where, name)
		}
	}
}

// isA reports whether v is of a type that is no object of the contract.
func isA(kind string, v any) bool {
	switch kind {
	case "any":
		return true
	case "text":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "integer":
		n, ok := v.(float64)
		return ok && n == float64(int64(n))
	case "time":
		_, err := time.Parse("2006-01-02T15:04:05.000Z", fmt.Sprint(v))
		return err == nil
	}
	return false
}

// TestFindingKinds: docs/JSON.md has the kinds of findings that there are.
func TestFindingKinds(t *testing.T) {
	files, err := filepath.Glob("inspect/*.go")
	check(t, err)
	kinds := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		constants := map[string]string{}
		for _, m := range regexp.MustCompile(`\b(anomaly\w+)\s+= "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
			constants[m[1]] = m[2]
		}
		for _, m := range regexp.MustCompile(`Finding\{\s*Kind: (?:"([a-z-]+)"|(\w+)),`).FindAllStringSubmatch(string(text), -1) {
			kinds[m[1]+constants[m[2]]] = true
		}
	}
	documented := map[string]bool{}
	text, err := os.ReadFile("docs/JSON.md")
	check(t, err)
	_, table, _ := strings.Cut(string(text), "The kinds:\n")
	table, _, _ = strings.Cut(table, "###")
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)`").FindAllStringSubmatch(table, -1) {
		documented[m[1]] = true
	}
	if !maps.Equal(kinds, documented) || len(kinds) < 15 {
		t.Errorf("there are %v\nand documented are %v", slices.Sorted(maps.Keys(kinds)), slices.Sorted(maps.Keys(documented)))
	}
}
