package bench

import (
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/gapctl/gapctl/codec"
)

// codecOf is a way of writing gaps that is timed.
type codecOf struct {
	name string
	// write writes the state, and read makes a call that reads what was written
	// and looks at each gap.
	write           func(codec.State) (written any, size int, err error)
	read            func(b *testing.B, written any, gaps int)
	native, library bool   // whose format it is: ours, or Parallel Consumer's
	encoding        string // of the library's; "" is the one that is chosen
}

// cells makes what is timed of one state.
func (c codecOf) cells(b *testing.B, s codec.State) codecCells {
	b.Helper()
	written, size, err := c.write(s)
	if err != nil {
		return codecCells{refused: true}
	}
	gaps := s.Gaps.Len()
	return codecCells{
		size: size,
		encode: &timed{run: func() {
			if _, _, err := c.write(s); err != nil {
				b.Fatal(err)
			}
		}},
		decode: &timed{run: func() { c.read(b, written, gaps) }},
	}
}

// against is what the times of c are compared with.
func (c codecOf) against() string {
	switch {
	case c.library:
		return "Parallel Consumer"
	case c.native:
		return "roaring64"
	}
	return ""
}

var benchID = codec.NativeID{Group: "billing", TopicID: [16]byte{1}}

func nativeCodec() codecOf {
	return codecOf{
		name: "native", native: true,
		write: func(s codec.State) (any, int, error) {
			records, err := codec.EncodeNative(codec.NativeCommit{NativeID: benchID, State: s})
			return records, recordBytes(records), err
		},
		read: func(b *testing.B, written any, gaps int) {
			lookAt(b, nativeState(b, written.([]codec.Record)), gaps)
		},
	}
}

func recordBytes(records []codec.Record) (size int) {
	for _, r := range records {
		size += len(r.Key) + len(r.Value)
	}
	return size
}

// nativeState is what the records of one slot say.
func nativeState(b *testing.B, records []codec.Record) codec.State {
	read, err := nativeSlot(b, records).Read()
	if err != nil {
		b.Fatal(err)
	}
	return read.State
}

func nativeSlot(b *testing.B, records []codec.Record) *codec.NativeSlot {
	var fold codec.NativeFold
	for _, r := range records {
		if err := fold.Apply(r.Key, r.Value); err != nil {
			b.Fatal(err)
		}
	}
	return fold.Slot(benchID)
}

// textCodec is an encoding that is committed as metadata.
func textCodec(format, encoding string) codecOf {
	name := format
	if encoding != "" {
		name += " " + encoding
	}
	return codecOf{
		name: name, library: format == "parallel-consumer", encoding: encoding,
		write: func(s codec.State) (any, int, error) {
			encoded, err := codec.Encode(s, format, encoding)
			return encoded, encoded.Size, err
		},
		read: func(b *testing.B, written any, gaps int) {
			encoded := written.(codec.Encoded)
			decoded, err := codec.DecodeAs(format, encoded.Encoding, encoded.Metadata, encoded.Committed)
			if err != nil {
				b.Fatal(err)
			}
			lookAt(b, decoded.State, gaps)
		},
	}
}

// libraryChoice is the smallest of Parallel Consumer's encodings, for which it
// writes them all, always.
func libraryChoice() codecOf {
	c := textCodec("parallel-consumer", "")
	c.name += ", smallest"
	return c
}

// roaringCodec is the portable format of Roaring bitmaps.
func roaringCodec() codecOf {
	return codecOf{
		name: "roaring64",
		write: func(s codec.State) (any, int, error) {
			set := roaringOf(s)
			set.RunOptimize()
			data, err := set.ToBytes()
			return data, len(data), err
		},
		read: func(b *testing.B, written any, gaps int) {
			set := readRoaring(b, written.([]byte))
			found, end := 0, uint64(0)
			offsets := make([]uint64, 1024)
			for it := set.ManyIterator(); ; {
				n := it.NextMany(offsets)
				for _, at := range offsets[:n] {
					if at != end || found == 0 {
						found++
					}
					end = at + 1
				}
				if n == 0 {
					break
				}
			}
			if found != gaps {
				b.Fatalf("roaring64: %d gaps, want %d", found, gaps)
			}
		},
	}
}

func readRoaring(b *testing.B, data []byte) *roaring64.Bitmap {
	set := roaring64.New()
	if err := set.UnmarshalBinary(data); err != nil {
		b.Fatal(err)
	}
	return set
}

func roaringOf(s codec.State) *roaring64.Bitmap {
	set := roaring64.New()
	for r := range s.Gaps.All() {
		set.AddRange(uint64(r.Start), uint64(r.End))
	}
	return set
}

// lookAt looks at each gap.
func lookAt(b *testing.B, s codec.State, gaps int) {
	found := 0
	for range s.Gaps.All() {
		found++
	}
	if found != gaps {
		b.Fatalf("%d gaps, want %d", found, gaps)
	}
}
