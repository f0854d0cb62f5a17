package inspect

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// hostile is a name that tries everything: escape sequences, C1, DEL, marks
// that reorder text, line breaks, bytes that are not UTF-8, quotes, wide runes.
const hostile = "=a\x1b[31m\x9b\u0085\x7f\u202e\u2066\n\r\t\u2028\xff\"\\<&>日本\x00"

// hostileSnapshot has at least one of everything that a view can show.
func hostileSnapshot() Snapshot {
	at := time.Date(2026, 3, 14, 3, 12, 0, 123456789, time.FixedZone("", 3600))
	bad := &codec.Error{Class: codec.ErrCorrupt, Format: "parallel-consumer", Position: 7, Reason: hostile}
	denied := &gapstore.Error{Class: gapstore.ErrDenied, Op: "read " + hostile}
	good := samplePartition(hostile, 0, 3, at)
	good.Topic = hostile
	good.State.Delivery = []codec.Delivery{
		{Range: codec.Range{Start: 1, End: 3}, State: codec.Archived, Count: 5},
		{Range: codec.Range{Start: 3, End: 4}, State: codec.Unknown},
	}
	good.Findings = []Finding{
		{Kind: "lost", Level: LevelWarn, Ranges: codec.NewRanges(codec.Range{Start: 1, End: 2}), Message: hostile, Remedy: hostile},
		{Kind: "foreign", Level: LevelInfo, Message: "x"},
	}
	corrupt := Partition{Entry: &gapstore.Entry{Key: good.Key, Committed: 5, Size: 3, Err: bad}, LogStart: -1, LogEnd: -1, LastStable: -1}
	unread := Partition{Entry: &gapstore.Entry{Key: good.Key, Committed: -1, Err: denied}, LogStart: 0, LogEnd: 1 << 62, LastStable: -1}
	return Snapshot{ClusterID: hostile, TakenAt: at, Groups: []Group{
		{Name: hostile, Type: "classic", State: hostile, Members: make([]Member, 2), Partitions: []Partition{good, corrupt, unread}},
		{Name: "empty"},
		{Name: "denied", Err: denied},
	}}
}

func hostileViews() map[string]View {
	s := hostileSnapshot()
	decoded := Decode(hostile, 9, "", "")
	good := Decode("bgABADI=", 100, "", "")
	good.ID = json.RawMessage(`{"a": "\u001b` + "\x7f\u009b\u202e" + `"}`)
	var records RecordDecoder
	record := records.Decode(TopicConsumerOffsets, []byte("\x00\x01\x00\x02g1\x00\x01t\x00\x00\x00\x03"), nil)
	return map[string]View{
		"list":     NewListView(s),
		"describe": NewDescribeView(s),
		"gaps":     NewGapsView(s),
		"decode":   NewDecodeView([]Decoding{decoded, good, record, FailedDecoding(&codec.Error{Class: codec.ErrTooLarge, Position: -1})}),
		"encode":   NewEncodeView(Encode(codec.State{Stable: 3, Max: 9}, "pyrallel", "", Owner{})),
		"native":   NewEncodeView(Encode(codec.State{Stable: 3, Max: 9}, "native", "", Owner{Group: hostile})),
	}
}

func written(t *testing.T, output Output, v View, style Style) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, output, v, style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWriteClean: no control character of a name reaches the output, in any
// view and any output, and neither does anything that is not UTF-8.
func TestWriteClean(t *testing.T) {
	for name, v := range hostileViews() {
		for _, output := range Outputs() {
			out := written(t, Output(output), v, Style{})
			for _, r := range out {
				if r != '\n' && (isControl(r) || r == '�' && (output == "table" || output == "wide")) {
					t.Errorf("%s as %s: %U is in the output %q", name, output, r, out)
					break
				}
			}
		}
	}
}

// TestWriteJSONAsTagged: what views write by hand is what their JSON tags say.
func TestWriteJSONAsTagged(t *testing.T) {
	for name, v := range hostileViews() {
		streamed := written(t, OutputJSON, v, Style{})
		tagged := v
		if gaps, ok := v.(GapsView); ok {
			tagged = nil
			checkEqualJSON(t, name, streamed, struct {
				ClusterHead
				Gaps []Gap `json:"gaps"`
			}{gaps.ClusterHead, collect(gaps)})
		}
		if tagged != nil {
			checkEqualJSON(t, name, streamed, tagged)
		}
		if !strings.HasSuffix(streamed, "}\n") || strings.Count(streamed, "\n") != 1 {
			t.Errorf("%s is not one document on one line: %q", name, streamed)
		}
	}
}

func collect(v GapsView) []Gap {
	var gaps []Gap
	for g := range v.Gaps() {
		gaps = append(gaps, g)
	}
	return gaps
}

func checkEqualJSON(t *testing.T, name, streamed string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := normalJSON(t, streamed), normalJSON(t, string(data)); got != want {
		t.Errorf("%s:\n got %s\nwant %s", name, got, want)
	}
}

// normalJSON is the document with its keys sorted and all numbers kept.
func normalJSON(t *testing.T, text string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestWriteYAML: the YAML says what the JSON says, number by number.
func TestWriteYAML(t *testing.T) {
	for name, v := range hostileViews() {
		var fromJSON, fromYAML any
		if err := yaml.Unmarshal([]byte(written(t, OutputJSON, v, Style{})), &fromJSON); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(written(t, OutputYAML, v, Style{})), &fromYAML); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(fromJSON, fromYAML) {
			t.Errorf("%s: YAML says %v, JSON %v", name, fromYAML, fromJSON)
		}
	}
}

// TestWriteColor: colours change nothing but colours, and no line ends in
// blanks.
func TestWriteColor(t *testing.T) {
	sequence := regexp.MustCompile("\x1b\\[[0-9]*m")
	for name, v := range hostileViews() {
		plain, colored := written(t, OutputWide, v, Style{}), written(t, OutputWide, v, Style{Color: true})
		if name != "encode" && name != "native" && !sequence.MatchString(colored) {
			t.Errorf("%s has no colours", name)
		}
		if got := sequence.ReplaceAllString(colored, ""); got != plain {
			t.Errorf("%s: without its colours it is\n%s\nwant\n%s", name, got, plain)
		}
		for line := range strings.SplitSeq(plain, "\n") {
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s: the line %q ends in a blank", name, line)
			}
		}
	}
}

func TestClean(t *testing.T) {
	cases := map[string]string{
		"plain":               "plain",
		"日本":                  "日本",
		"a\x1b[2Jb":           `a\x1b[2Jb`,
		"a\nb\tc":             `a\nb\tc`,
		"\u0085\u009b":        `\x85\x9b`,
		"\xff\xfe":            `\xff\xfe`,
		"\u202eevil":          `\u202eevil`,
		"\u2067\u2069x":       `\u2067\u2069x`,
		"\x7f":                `\x7f`,
		"\u061c\u200e\u200fx": `\u061c\u200e\u200fx`,
		"\ufeffx":             `\ufeffx`,
	}
	for in, want := range cases {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestCSVFormula: nothing that a spreadsheet computes begins a cell; a number that
// is not known is no text.
func TestCSVFormula(t *testing.T) {
	for in, want := range map[string]string{
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "＝1+1": "'＝1+1", "＋1": "'＋1", "－1": "'－1", "＠A1": "'＠A1", "a＝1": "a＝1", "\t=1": `\t=1`, "\r=1": `\x0d=1`, "billing=": "billing=", "": "",
	} {
		if got := text(in).csv(); got != want {
			t.Errorf("%q as CSV is %q, want %q", in, got, want)
		}
	}
	if got := number(-1).csv(); got != "" {
		t.Errorf("an unknown number is %q", got)
	}
}

// MarshalJSON is what the tags of a view say.
func (ps PartitionViews) MarshalJSON() ([]byte, error) {
	views := make([]PartitionView, len(ps))
	for i := range ps {
		views[i] = newPartitionView(&ps[i])
	}
	return json.Marshal(views)
}
