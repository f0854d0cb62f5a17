package codec

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

const nativeGolden = "native/commits.jsonl"

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

	Records []nativeGoldenRecord `json:"records"`
}

type nativeGoldenRecord struct {
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

func (g nativeGoldenCommit) commit() NativeCommit {
	c := NativeCommit{
		NativeID:    NativeID{Group: g.Group, Partition: g.Partition, Slot: g.Slot},
		NativeStamp: NativeStamp{g.LeaderEpoch, g.Generation, g.Time},
		State:       State{Stable: g.Stable, Max: g.Max, Gaps: g.Gaps},
	}
	copy(c.TopicID[:], unhex(g.TopicID))
	return c
}

// TestNativeGolden: the bytes of the format are as they have always been.
// UPDATE_GOLDEN=1 writes the records anew.
func TestNativeGolden(t *testing.T) {
	commits := readLines[nativeGoldenCommit](t, nativeGolden)
	if len(commits) < 10 {
		t.Fatalf("%d golden commits", len(commits))
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		updateNativeGolden(t, commits)
		return
	}
	for _, g := range commits {
		t.Run(g.Name, func(t *testing.T) { checkNativeGolden(t, g) })
	}
}

func checkNativeGolden(t *testing.T, g nativeGoldenCommit) {
	c := g.commit()
	written := mustEncode(t, c)
	f := &NativeFold{}
	for i, r := range g.Records {
		key, value := unhex(r.Key), unhex(*r.Value)
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

func updateNativeGolden(t *testing.T, commits []nativeGoldenCommit) {
	var out bytes.Buffer
	for _, g := range commits {
		g.Records = nil
		for _, r := range mustEncode(t, g.commit()) {
			value := hex.EncodeToString(r.Value)
			g.Records = append(g.Records, nativeGoldenRecord{hex.EncodeToString(r.Key), &value})
		}
		line, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := os.WriteFile(goldenFolder+nativeGolden, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
