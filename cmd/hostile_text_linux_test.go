package cmd

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// evil is text that sets a terminal's title and clipboard, clears its screen in
// two ways, turns the direction of text, ends a line, and breaks out of HTML.
const evil = "=cmd|' /C calc'!A0\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\u009b2J\u202e\r\n\"'><script>alert(1)</script>$(touch owned)`touch owned`"

// evilScene is a group of that name, with one record outstanding that is made of
// it, and metadata of it on another partition.
func evilScene(t *testing.T) *brokerScene {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	s.topic("orders", 2)
	s.topic("retry", 0)
	text := []byte(evil)
	client := s.client(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	record := &kgo.Record{Topic: "orders", Key: text, Value: text, Headers: []kgo.RecordHeader{{Key: evil, Value: text}}}
	if err := client.ProduceSync(t.Context(), record, &kgo.Record{Topic: "orders"}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	gap := codec.State{Stable: 2, Max: 4, Gaps: codec.NewRanges(codec.Range{Start: 2, End: 3})}
	encoded, err := codec.Encode(gap, "parallel-consumer", "run-length-v2")
	if err != nil {
		t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "orders", At: encoded.Committed, LeaderEpoch: -1, Metadata: encoded.Metadata})
	offsets.Add(kadm.Offset{Topic: "orders", Partition: 1, At: 1, LeaderEpoch: -1, Metadata: evil})
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), evil, offsets); err != nil {
		t.Fatal(err)
	}
	return s
}

// acts reports whether a terminal could do more with text than show it.
func acts(text string) bool {
	return inspect.Clean(strings.NewReplacer("\n", "", "\t", "").Replace(text)) != strings.NewReplacer("\n", "", "\t", "").Replace(text)
}

// TestHostileText: no command, in no output format, passes on what a terminal
// acts on: not from groups, records, metadata or plans, and not from its own
// arguments, on standard output or on standard error.
func TestHostileText(t *testing.T) {
	s := evilScene(t)
	plan, before := filepath.Join(s.dir, "plan.json"), filepath.Join(s.dir, "before.json")
	run := func(t *testing.T, args ...string) (out string) {
		env := map[string]string{"XDG_STATE_HOME": s.dir, "GAPCTL_CONFIG": filepath.Join(s.dir, "config.yaml"), "GAPCTL_BOOTSTRAP_SERVER": s.addr, "GAPCTL_TIMEOUT": "10s"}
		_, out, errs := runWith(t.Context(), env, args...)
		if acts(out) || acts(errs) {
			t.Errorf("%q prints %q and %q", args, out, errs)
		}
		if out == "" && errs == "" {
			t.Errorf("%q prints nothing", args)
		}
		return out
	}
	writeFile(t, before, run(t, "describe", evil, "-o", "json"))
	odd := filepath.Join(s.dir, "odd.properties") // of which a notice tells
	writeFile(t, odd, "key\\u001b]0;owned\\u0007\\u009b2J\\u202e=x\n")
	run(t, "skip", evil, "orders/0@2", "--plan", plan)
	for _, args := range [][]string{
		{"list", "--all"}, {"describe", evil}, {"gaps", evil}, {"records", evil, "--values"}, {"check"}, {"map", evil}, {"history", evil},
		{"diff", before}, {"skip", evil, "orders/0@2"}, {"compact", evil}, {"reset", evil, "--to-earliest"}, {"convert", evil, "--to", "native"},
		{"replay", evil, "--to-topic", "retry"}, {"decode", evil},
	} {
		for _, format := range []string{"table", "wide", "json", "yaml", "csv"} {
			if out := run(t, append(args, "-o", format)...); args[0] == "describe" && format == "json" && !strings.Contains(out, "owned") {
				t.Errorf("%q does not show the text at all: %q", args, out)
			}
		}
		run(t, append(args, "-o", "jq=.. | strings")...)
	}
	for _, args := range [][]string{
		{"report", evil}, {"map", evil, "-o", "svg"}, {"map", evil, "-o", "html"}, {"watch", evil, "--count", "1"}, {"check", "-o", "prometheus"},
		{"skip", evil, "orders/0@2", "--execute", "--yes"}, {"undo"}, {"apply", plan, "--yes"},
		{evil}, {"list", "--" + evil}, {"list", "-o", evil}, {"list", "--color", evil}, {"list", "-X", evil}, {"list", "-X", evil + "=" + evil},
		{"list", "-b", evil}, {"list", "--context", evil}, {"list", "--command-config", evil}, {"list", "--timeout", evil},
		{"describe", "no" + evil}, {"describe", evil, "--topic", evil}, {"describe", evil, "--format", evil}, {"gaps", evil, evil},
		{"records", evil, evil}, {"records", evil, "-f", evil}, {"records", evil, "--order", evil}, {"skip", evil, evil}, {"skip", evil, "orders/9@2"},
		{"reset", evil, "--to-datetime", evil}, {"reset", evil, "--done", evil}, {"convert", evil, "--to", evil}, {"replay", evil, "--to-topic", evil},
		{"apply", evil}, {"undo", evil}, {"diff", evil}, {"report", evil, "--file", evil + "/" + evil}, {"context", "use", evil}, {"context", "add", evil},
		{"describe", evil + "x", "-o", "json"}, {"list", "--command-config", odd}, {"list", "--command-config", odd, "-o", "json"},
		{"completion", evil}, {"help", evil}, {"encode", "--gaps", evil}, {"lab", evil}, {"watch", evil, "--interval", evil},
	} {
		run(t, args...)
	}
}

// TestHostileSuggestion: a command that is suggested takes a group's name as one
// word of the shell.
func TestHostileSuggestion(t *testing.T) {
	s := evilScene(t)
	want := inspect.Clean(inspect.Command("describe", evil)) + " shows"
	for _, args := range [][]string{
		{"compact", evil, "--topic", "retry"}, {"compact", evil, "--topic", "retry", "--format", "native"}, {"compact", evil, "--format", "native"},
	} {
		if _, _, errs := runWith(t.Context(), nil, append(args, "-b", s.addr)...); !strings.Contains(errs, want) {
			t.Errorf("%q suggests %q", args, errs)
		}
	}
	f, ok := errors.AsType[*failure](judgeResult(repair.Result{Group: evil, Outcomes: []repair.Outcome{{Status: repair.Unverified, Err: errors.New("cut off")}}}))
	if !ok || !strings.Contains(inspect.Clean(f.hint), want) {
		t.Errorf("an unverified result suggests %+v", f)
	}
}

// TestHostilePrompt: neither does the question whether to carry out a plan.
func TestHostilePrompt(t *testing.T) {
	s := evilScene(t)
	plan := filepath.Join(s.dir, "plan.json")
	if code, _, errs := runWith(t.Context(), nil, "skip", evil, "orders/0@2", "--plan", plan, "-b", s.addr); code != exitOK {
		t.Fatal(errs)
	}
	p := newPrompt(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"apply", plan, "-b", s.addr}, World{In: p.line, Out: new(bytes.Buffer), Err: p.line, Getenv: func(name string) string { return map[string]string{"HOME": s.dir}[name] }, Now: time.Now})
	}()
	p.await("the question", func() bool { return strings.Contains(p.shown(), "[y/N]") })
	p.typed("n\r")
	if got := <-code; got != exitDeclined {
		t.Errorf("exit code %d", got)
	}
	if shown := strings.ReplaceAll(p.shown(), "\r\n", "\n"); acts(shown) || !strings.Contains(shown, "owned") {
		t.Errorf("the terminal shows %q", shown)
	}
}

// TestHostileCSV: no spreadsheet takes a name or a key for a formula.
func TestHostileCSV(t *testing.T) {
	s := evilScene(t)
	for _, args := range [][]string{{"list", "--all"}, {"describe", evil}, {"gaps", evil}, {"records", evil, "--values"}, {"check"}} {
		_, out, _ := runWith(t.Context(), nil, append(args, "-o", "csv", "-b", s.addr)...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%q: %v, rows %q", args, err, rows)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
					t.Errorf("%q: cell %q", args, cell)
				}
			}
		}
	}
}

// TestHostileHTML: in the report and in the map, markup of a name stays text.
func TestHostileHTML(t *testing.T) {
	s := evilScene(t)
	for _, args := range [][]string{{"report", evil}, {"map", evil, "-o", "svg"}, {"map", evil, "-o", "html"}} {
		_, out, errs := runWith(t.Context(), nil, append(args, "-b", s.addr)...)
		if strings.Contains(out, "<script") || !strings.Contains(out, "&lt;script&gt;alert(1)") {
			t.Errorf("%q: %.2000s %q", args, out, errs)
		}
	}
}
