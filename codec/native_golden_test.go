package codec

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

const nativeGolden = "../testdata/golden/native/commits.jsonl"

// nativeGoldenCommit is a line of the golden file: a commit and its records,
// in hexadecimal. Where Decode is true only reading is pinned, because a zstd
// frame may be written in many ways.
type nativeGoldenCommit struct {
	Name        string `json:"name"`
	Group       string `json:"group"`
	TopicID     string `json:"topic_id"`
	Partition   int32  `json:"partition"`
	Slot        uint32 `json:"slot"`
	LeaderEpoch int32  `json:"leader_epoch"`
	Generation  int32  `json:"generation"`
	Time        int64  `json:"time"`
	Stable      int64  `json:"stable"`
	Max         int64  `json:"max"`
	Gaps        Ranges `json:"gaps"`
	Decode      bool   `json:"decode_only,omitempty"`
	Records     []struct {
		Key   string  `json:"key"`
		Value *string `json:"value"`
	} `json:"records"`
}

func (g nativeGoldenCommit) commit(t *testing.T) NativeCommit {
	t.Helper()
	c := NativeCommit{
		NativeID:    NativeID{Group: g.Group, Partition: g.Partition, Slot: g.Slot},
		NativeStamp: NativeStamp{g.LeaderEpoch, g.Generation, g.Time},
		State:       State{Stable: g.Stable, Max: g.Max, Gaps: g.Gaps},
	}
	copy(c.TopicID[:], unhexNative(t, g.TopicID))
	return c
}

func unhexNative(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNativeGolden: the bytes of the format are as they have always been.
// UPDATE_GOLDEN=1 writes the records anew.
func TestNativeGolden(t *testing.T) {
	data, err := os.ReadFile(nativeGolden)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var g nativeGoldenCommit
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		if os.Getenv("UPDATE_GOLDEN") != "" {
			updateNativeGolden(t, &out, g)
			continue
		}
		t.Run(g.Name, func(t *testing.T) { checkNativeGolden(t, g) })
	}
	if n < 10 {
		t.Fatalf("%d golden commits", n)
	}
	if out.Len() > 0 {
		if err := os.WriteFile(nativeGolden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func checkNativeGolden(t *testing.T, g nativeGoldenCommit) {
	c := g.commit(t)
	written := mustEncode(t, c)
	f := &NativeFold{}
	for i, r := range g.Records {
		key, value := unhexNative(t, r.Key), unhexNative(t, *r.Value)
		if err := f.Apply(key, value); err != nil {
			t.Fatal(err)
		}
		if !g.Decode && (!bytes.Equal(key, written[i].Key) || !bytes.Equal(value, written[i].Value)) {
			t.Errorf("record %d: wrote %x = %x, want %x = %x", i, written[i].Key, written[i].Value, key, value)
		}
	}
	if len(written) != len(g.Records) {
		t.Errorf("wrote %d records, want %d", len(written), len(g.Records))
	}
	for e := range f.All() {
		r := mustRead(t, e.Slots[0])
		if !r.State.Equal(c.State) || r.Head.NativeStamp != c.NativeStamp || e.Slots[0].NativeID != c.NativeID {
			t.Errorf("read %+v", r)
		}
	}
}

func updateNativeGolden(t *testing.T, out *bytes.Buffer, g nativeGoldenCommit) {
	g.Records = nil
	for _, r := range mustEncode(t, g.commit(t)) {
		value := hex.EncodeToString(r.Value)
		g.Records = append(g.Records, struct {
			Key   string  `json:"key"`
			Value *string `json:"value"`
		}{hex.EncodeToString(r.Key), &value})
	}
	line, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(append(line, '\n'))
}
