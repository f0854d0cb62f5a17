package repair

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/inspect"
)

// What a record holds reaches the command of a replay as data, byte for byte:
// no shell reads it.
func TestExecTakesRecordsAsData(t *testing.T) {
	dir := t.TempDir()
	trap := filepath.Join(dir, "trap")
	hostile := "';touch " + trap + ";'\"$(touch " + trap + ")`touch " + trap + "`\n\x1b[31m"
	r := &inspect.Record{Record: &kgo.Record{}}
	r.Key, r.Value, r.Timestamp = []byte(hostile), []byte(hostile), time.UnixMilli(0)
	r.Group, r.Topic = hostile, hostile // no broker has such a topic, unless it lies
	r.Headers = []kgo.RecordHeader{{Key: hostile, Value: []byte(hostile)}}
	var out bytes.Buffer
	c := command{`printf %s "$GAPCTL_KEY"; cat; printf %s "$GAPCTL_GROUP"`, &out, nil}
	if err := c.deliver(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if out.String() != hostile+hostile+hostile {
		t.Errorf("got %q", out.String())
	}
	out.Reset()
	r.Key = []byte("a\x00b") // which no variable can hold
	c.text = `printf %s "${GAPCTL_KEY-none}" "$GAPCTL_KEY_BASE64"`
	if err := c.deliver(t.Context(), r); err != nil || out.String() != "noneYQBi" {
		t.Errorf("a key with a NUL byte: %q, %v", out.String(), err)
	}
	if _, err := os.Stat(trap); !os.IsNotExist(err) {
		t.Errorf("a shell ran what the record holds: %v", err)
	}
}
