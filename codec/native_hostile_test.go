package codec

import (
	"encoding/hex"
	"errors"
	"testing"
)

func TestNativeHostile(t *testing.T) {
	const id = "0767726f75702d31" + "000102030405060708090a0b0c0d0e0f" + "0300"
	const head, chunk = "6701" + id, "6702" + id + "00"
	for name, c := range map[string]struct {
		key, value string
		want       error
	}{
		"empty key":                  {"", "01", ErrUnknownFormat},
		"another program":            {"7b226b6579223a317d", "7b7d", ErrUnknownFormat},
		"newer record type":          {"6707" + id, "01", ErrUnsupported},
		"no record type":             {"67", "01", ErrCorrupt},
		"group beyond the key":       {"6701ff01" + id, "01", ErrCorrupt},
		"group far beyond the limit": {"6701ffffffffffffffff7f", "01", ErrCorrupt},
		"group not UTF-8":            {"6701" + "02c328" + id[16:], "01", ErrCorrupt},
		"long form of a number":      {"6701" + id[:len(id)-4] + "830000", "01", ErrCorrupt},
		"negative partition":         {"6701" + id[:len(id)-4] + "808080800800", "01", ErrCorrupt},
		"bytes after the key":        {head + "00", "01", ErrCorrupt},
		"window beyond offsets":      {"6702" + id + "80808080808020", "0100", ErrCorrupt},
		"newer head":                 {head, "02", ErrUnsupported},
		"head version 0":             {head, "00", ErrCorrupt},
		"empty head":                 {head, "", ErrCorrupt},
		"head cut short":             {head, "01050000", ErrCorrupt},
		"head with more":             {head, "010500000000000000", ErrCorrupt},
		"max beyond offsets":         {head, "0101ffffffffffffffff7f00000000" + "00", ErrCorrupt},
		"more outstanding than span": {head, "01050203010000" + "00", ErrCorrupt},
		"more chunks than windows":   {head, "01050201020000" + "00", ErrCorrupt},
		"newer chunk":                {chunk, "0200", ErrUnsupported},
		"newer container":            {chunk, "01050001", ErrUnsupported},
		"empty chunk":                {chunk, "", ErrCorrupt},
		"no span":                    {chunk, "01000500", ErrCorrupt},
		"span beyond the window":     {chunk, "0100ffff0302", ErrCorrupt},
		"first beyond the window":    {chunk, "010080800401", ErrCorrupt},
		"solid with more":            {chunk, "010000050" + "0", ErrCorrupt},
		"full windows 0":             {chunk, "0180000001", ErrCorrupt},
		"full windows beyond":        {chunk, "01808080808080802000" + "01", ErrCorrupt},
		"lag 0":                      {chunk, "0140000001", ErrCorrupt},
		"lag and stride":             {chunk, "016002020005", ErrCorrupt},
		"stride 1":                   {chunk, "0120010005", ErrCorrupt},
		"codes missing":              {chunk, "01010005", ErrCorrupt},
		"codes cut short":            {chunk, "0101008002" + "00", ErrCorrupt},
		"codes beyond the span":      {chunk, "0101000503" + "ff", ErrCorrupt},
		"codes left over":            {chunk, "0101000201" + "0100", ErrCorrupt},
		"padding not zero":           {chunk, "0101000200" + "83", ErrCorrupt},
		"escape without need":        {chunk, "01010005000000040000", ErrCorrupt},
		"two Rice parameters":        {chunk, "0101000210" + "03", ErrCorrupt},
		"not zstd":                   {chunk, "01040005" + "0102", ErrCorrupt},
		"zstd of 64 MiB":             {chunk, "01040005" + "28b52ffda400000004" + "550000000000", ErrCorrupt},
	} {
		key, err1 := hex.DecodeString(c.key)
		value, err2 := hex.DecodeString(c.value)
		if err1 != nil || err2 != nil {
			t.Fatal(name, err1, err2)
		}
		r, err := DecodeNativeRecord(key, value)
		var e *Error
		if !errors.As(err, &e) || e.Class != c.want || e.Format != "native" {
			t.Errorf("%s: %v, want class %v (%+v)", name, err, c.want, r)
		}
	}
}

// TestNativeRefuses: what could not be read back is not written.
func TestNativeRefuses(t *testing.T) {
	for _, id := range []NativeID{{Group: "\xff"}, {Partition: -1}, {Group: string(make([]byte, 1<<15))}} {
		if records, err := EncodeNative(NativeCommit{NativeID: id}); err == nil {
			t.Errorf("%.20q: wrote %v", id.Group, records)
		}
	}
}

func FuzzNativeRecord(f *testing.F) {
	for _, s := range patternStates() {
		for _, r := range mustEncode(f, NativeCommit{NativeID: testID, State: s}) {
			f.Add(r.Key, r.Value)
		}
	}
	f.Fuzz(func(t *testing.T, key, value []byte) {
		r, err := DecodeNativeRecord(key, value)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("not an *Error: %v", err)
			}
			return
		}
		// Keys have one form only: it is their identity under compaction.
		again := nativeKey{NativeID: r.NativeID, kind: nativeHead, window: r.Window}
		if r.Kind == "chunk" {
			again.kind = nativeChunk
		}
		if string(again.append(nil)) != string(key) {
			t.Fatalf("key %x reads as that of %x", key, again.append(nil))
		}
		if n := r.Gaps.Len(); n > NativeWindow/2+1 {
			t.Fatalf("%d gaps in one window", n)
		}
		if r.Kind == "chunk" && !r.Tombstone {
			var w chunkWriter
			var d chunkReader
			c, _ := newChunker(r.Gaps).next()
			if got, err := d.read(c.window, w.append(nil, c)); err != nil || !got.equal(c) {
				t.Fatalf("written again it reads %v, %v", got, err)
			}
		}
	})
}

// FuzzNativeFold cuts its input into records: a byte for the window or the
// head, a byte for the length, and the value.
func FuzzNativeFold(f *testing.F) {
	for _, s := range patternStates() {
		var in []byte
		for _, r := range mustEncode(f, NativeCommit{NativeID: testID, State: s}) {
			where := byte(255)
			if k, _ := parseNativeKey(r.Key); k.kind == nativeChunk {
				where = byte(k.window)
			}
			in = append(append(in, where, byte(len(r.Value))), r.Value...)
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		fold := &NativeFold{}
		for len(in) >= 2 {
			key := nativeKey{NativeID: testID, kind: nativeChunk, window: int64(in[0])}
			if in[0] == 255 {
				key = nativeKey{NativeID: testID, kind: nativeHead}
			}
			n := min(int(in[1]), len(in)-2)
			if err := fold.Apply(key.append(nil), in[2:2+n]); err != nil {
				t.Fatal(err)
			}
			in = in[2+n:]
		}
		for e := range fold.All() {
			r, err := e.Slots[0].Read()
			if bounds := (Range{r.Head.Stable, r.Head.Max}); !r.State.Gaps.Clip(bounds).Equal(r.State.Gaps) {
				t.Fatalf("gaps outside of %v", bounds)
			}
			set, _, setErr := e.Slots[0].GapSet()
			if (err == nil) != (setErr == nil) {
				t.Fatalf("read: %v, as a set: %v", err, setErr)
			}
			if err == nil && !set.State().Equal(r.State.Normalize()) {
				t.Fatalf("as a set %v, want %v", set.State(), r.State.Normalize())
			}
		}
	})
}
