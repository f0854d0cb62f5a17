package gapstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Whatever compresses, the batch comes out whole, and one byte too many is
// refused.
func TestDecompressBounded(t *testing.T) {
	const limit = 1 << 20
	for name, codec := range map[string]kgo.CompressionCodec{
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		compressor, err := kgo.DefaultCompressor(codec)
		if err != nil {
			t.Fatal(err)
		}
		var room []byte
		for _, size := range []int{0, 1, 1000, limit, limit + 1, 40 * limit, 500} {
			want := bytes.Repeat([]byte("gap"), size/3+1)[:size]
			var out bytes.Buffer
			src, kind := compressor.Compress(&out, want)
			got, err := boundedDecompressor{limit}.Decompress(src, kind)
			switch {
			case size > limit:
				if !errors.Is(err, errBatchTooLarge) {
					t.Errorf("%s of %d bytes: %d bytes, %v; want it refused", name, size, len(got), err)
				}
			case err != nil || !bytes.Equal(got, want):
				t.Errorf("%s of %d bytes: %d bytes, %v", name, size, len(got), err)
			}
			again, err := boundedDecompressor{limit}.into(room, src, kind)
			if size <= limit && (err != nil || !bytes.Equal(again, want)) {
				t.Errorf("%s of %d bytes into the memory of others: %d bytes, %v", name, size, len(again), err)
			}
			room = again
		}
	}
}

// What comes out is not even held beyond the limit; and a frame of a few bytes
// does not get the window that it claims.
func TestDecompressStopsAtTheLimit(t *testing.T) {
	const limit = 1 << 20
	endless := &countingReader{}
	if out, err := (boundedDecompressor{limit}).drain(nil, io.LimitReader(endless, 100*limit)); !errors.Is(err, errBatchTooLarge) || endless.read > 2*limit {
		t.Errorf("%d bytes, %v; %d bytes were read", len(out), err, endless.read)
	}
	const window = 18 << 3 // of 256 MiB, which the decoder would give
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, window, 1, 0, 0}
	if out, err := (boundedDecompressor{limit}).Decompress(frame, kgo.CodecZstd); !errors.Is(err, errBatchTooLarge) {
		t.Errorf("a window of 256 MiB: %d bytes, %v", len(out), err)
	}
}

// countingReader gives zeros, and counts them.
type countingReader struct{ read int }

func (r *countingReader) Read(p []byte) (int, error) {
	clear(p)
	r.read += len(p)
	return len(p), nil
}

// Java's snappy writes blocks, each with its length.
func TestDecompressJavaSnappy(t *testing.T) {
	src := append(bytes.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1)
	for _, part := range []string{"one ", "two ", "three"} {
		block := s2.EncodeSnappy(nil, []byte(part))
		src = append(binary.BigEndian.AppendUint32(src, uint32(len(block))), block...)
	}
	got, err := boundedDecompressor{100}.Decompress(src, kgo.CodecSnappy)
	if err != nil || string(got) != "one two three" {
		t.Errorf("%q, %v", got, err)
	}
	for cut := range src[:len(src)-1] {
		if cut < xerialHeader {
			continue
		}
		if got, err := (boundedDecompressor{100}).Decompress(src[:cut], kgo.CodecSnappy); err == nil && len(got) == len("one two three") {
			t.Errorf("cut at %d: %q", cut, got)
		}
	}
	if _, err := (boundedDecompressor{7}).Decompress(src, kgo.CodecSnappy); !errors.Is(err, errBatchTooLarge) {
		t.Errorf("beyond the limit: %v", err)
	}
}
