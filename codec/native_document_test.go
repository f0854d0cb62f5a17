package codec

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestFormatDocument: the examples in docs/FORMAT.md are what is written and
// read. An example is a code block that starts with the line "state".
func TestFormatDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	for i, block := range strings.Split(string(text), "```") {
		lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(block, "text")), "\n")
		if i%2 == 1 && strings.HasPrefix(lines[0], "state") {
			examples++
			checkExample(t, lines)
		}
	}
	if examples < 5 {
		t.Errorf("%d examples", examples)
	}
}

// checkExample takes lines such as
//
//	state  stable 3, max 11, gaps 3-5,9
//	key    67 01 …   # comment
//	value  01 …
func checkExample(t *testing.T, lines []string) {
	c := NativeCommit{NativeID: testID, NativeStamp: NativeStamp{LeaderEpoch: 4, Generation: 12, Time: 1_700_000_000_000}}
	var records []Record
	for _, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "state" {
			c.State = parseExampleState(t, rest)
			continue
		}
		switch name {
		case "key":
			records = append(records, Record{Key: unhex(rest)})
		case "value":
			records[len(records)-1].Value = unhex(rest)
		default: // the value goes on
			last := &records[len(records)-1]
			last.Value = append(last.Value, unhex(strings.TrimSpace(line))...)
		}
	}
	written := mustEncode(t, c)
	for i, r := range records {
		if i >= len(written) || !bytes.Equal(r.Key, written[i].Key) || !bytes.Equal(r.Value, written[i].Value) {
			t.Errorf("%s\nrecord %d: want %x", strings.Join(lines, "\n"), i, written[min(i, len(written)-1)])
		}
	}
	if got := mustRead(t, fold(t, &NativeFold{}, records)); !got.State.Equal(c.State) {
		t.Errorf("%s\nreads %v", strings.Join(lines, "\n"), got.State)
	}
}

func parseExampleState(t *testing.T, text string) State {
	var s State
	fields := strings.SplitN(text, ",", 3)
	for i, prefix := range []string{"stable", "max", "gaps"} {
		value, ok := strings.CutPrefix(strings.TrimSpace(fields[i]), prefix)
		ranges, err := ParseRanges(value)
		if !ok || err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		switch i {
		case 0:
			s.Stable = ranges.First().Start
		case 1:
			s.Max = ranges.First().Start
		default:
			s.Gaps = ranges
		}
	}
	return s
}
