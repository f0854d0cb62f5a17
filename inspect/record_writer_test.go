package inspect

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func hostileRecord() *Record {
	return &Record{Group: "billing", State: RecordOutstanding, Deliveries: 3, Record: &kgo.Record{
		Topic: "orders", Partition: 2, Offset: 17, Timestamp: time.UnixMilli(1_700_000_000_123),
		Key: []byte("k\x1b[31m"), Value: []byte("v\xff\x9b"), Headers: []kgo.RecordHeader{{Key: "h\n", Value: []byte("\x07")}, {Key: "n"}},
	}}
}

// No output lets a control character of a record through.
func TestRecordsAreClean(t *testing.T) {
	for _, output := range RecordOutputs() {
		var b strings.Builder
		w, err := NewRecordWriter(&b, RecordStyle{Output: Output(output), Values: true, States: true, Deliveries: true, Now: time.UnixMilli(1_700_000_060_123)})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(hostileRecord()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(b.String(), "\n", "")
		if strings.ContainsFunc(text, isControl) || !strings.Contains(text, "17") {
			t.Errorf("%s: %q", output, b.String())
		}
	}
}

func TestRecordJSON(t *testing.T) {
	var b strings.Builder
	w, err := NewRecordWriter(&b, RecordStyle{Output: OutputJSON, Values: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Write(hostileRecord()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `{"group":"billing","topic":"orders","partition":2,"offset":17,"timestamp":"2023-11-14T22:13:20.123Z","key":"k\u001b[31m",` +
		`"value":"dv+b","value_encoding":"base64","headers":[{"key":"h\n","value":"\u0007"},{"key":"n","value":null}],"delivery_count":3,"state":"outstanding","size":13}` + "\n"
	if b.String() != want+want {
		t.Errorf("got\n%s\nwant twice\n%s", b.String(), want)
	}
}

func TestRecordPrinter(t *testing.T) {
	cases := []struct {
		format, want string
		clean        bool
	}{
		{`%t/%p@%o\n`, "orders/2@17\n", false},
		{`%k|%K|%s|%S|%h|%%`, "k\x1b[31m|6|v\xff\x9b|3|h\n=\x07,n=NULL|%", false},
		{`%k|%h`, `k\x1b[31m|h\n=\x07,n=NULL`, true},
		{`%g %d %T\t\x41\\`, "billing 3 1700000000123\tA\\", true},
	}
	for _, c := range cases {
		var b strings.Builder
		w, err := NewRecordPrinter(&b, c.format, c.clean)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(hostileRecord()); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil || b.String() != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.format, b.String(), c.want, err)
		}
	}
	for _, bad := range []string{"%", `\`, "%q", `\q`, `\x4`, `\xzz`} {
		if _, err := NewRecordPrinter(nil, bad, false); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
