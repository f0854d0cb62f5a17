package gapstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// maxBatch is the most that one batch of records is decompressed to. Kafka
// bounds a batch before compression by nothing but the producer's memory; a
// megabyte that is made to, expands to gigabytes.
const maxBatch = 256 << 20

var errBatchTooLarge = fmt.Errorf("a batch of records is larger than %d MiB when decompressed", maxBatch>>20)

// boundedDecompressor decompresses batches of records and gives up at limit,
// before it has taken more memory than that. kgo bounds only the batches that
// its own consumer fetches.
type boundedDecompressor struct{ limit int }

// Decompress implements [kgo.Decompressor].
func (d boundedDecompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecNone {
		return src, nil
	}
	return d.into(nil, src, codec)
}

// into decompresses into the memory of dst as far as that suffices. What is there
// is lost.
func (d boundedDecompressor) into(dst, src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	dst = dst[:0]
	switch codec {
	case kgo.CodecGzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, err
		}
		return d.drain(dst, r)
	case kgo.CodecSnappy:
		return d.snappy(dst, src)
	case kgo.CodecLz4:
		return d.drain(dst, lz4.NewReader(bytes.NewReader(src)))
	case kgo.CodecZstd:
		r, err := zstd.NewReader(bytes.NewReader(src), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(uint64(d.limit)))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return d.drain(dst, r)
	}
	return nil, fmt.Errorf("compression %d is not known", codec)
}

func (d boundedDecompressor) drain(dst []byte, r io.Reader) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	_, err := out.ReadFrom(io.LimitReader(r, int64(d.limit)+1))
	if err == nil && out.Len() > d.limit || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return nil, errBatchTooLarge
	}
	return out.Bytes(), err
}

// xerial is how blocks of the Java library snappy-java begin; two versions
// follow, and then each block with its length.
var xerial = []byte("\x82SNAPPY\x00")

const xerialHeader = 16

// snappy reads one block, or the blocks of snappy-java.
func (d boundedDecompressor) snappy(out, src []byte) ([]byte, error) {
	if !bytes.HasPrefix(src, xerial) || len(src) < xerialHeader {
		return d.block(out, src)
	}
	for src = src[xerialHeader:]; len(src) > 0; {
		if len(src) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := int64(binary.BigEndian.Uint32(src))
		src = src[4:]
		if size > int64(len(src)) {
			return nil, io.ErrUnexpectedEOF
		}
		var err error
		if out, err = d.block(out, src[:size]); err != nil {
			return nil, err
		}
		src = src[size:]
	}
	return out, nil
}

// block appends what the block holds to out.
func (d boundedDecompressor) block(out, src []byte) ([]byte, error) {
	size, err := s2.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if size > d.limit-len(out) {
		return nil, errBatchTooLarge
	}
	end := len(out) + size
	out = slices.Grow(out, size)
	_, err = s2.Decode(out[len(out):end], src)
	return out[:end], err
}
