package codec

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	// zstdHeader is the frame header that Parallel Consumer writes: no content
	// size, no checksum, no dictionary, a window of 2 MiB.
	zstdHeader = zstdMagic + "\x00\x58"
	zstdWindow = 2 << 20
	// zstdBlock is the most that one block can hold, in no less than
	// zstdSmallestBlock bytes.
	zstdBlock         = 128 << 10
	zstdSmallestBlock = 4
)

// decompress fills r.body with what frame holds.
func (r *pcReading) decompress(frame []byte) error {
	if !bytes.HasPrefix(frame, []byte(zstdMagic)) {
		return r.corrupt(r.at, "no zstd frame")
	}
	if r.decoder == nil {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(pcMaxBody))
		if err != nil {
			return r.corrupt(r.at, "%v", err)
		}
		r.decoder = d
	}
	body, err := r.decoder.DecodeAll(frame, r.body[:0])
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return &Error{Class: ErrTooLarge, Format: parallelConsumerName, Encoding: r.encoding, Position: r.at, Limit: pcMaxBody,
			Reason: fmt.Sprintf("decompresses to more than %d bytes", pcMaxBody)}
	}
	if err != nil {
		return r.corrupt(r.at, "zstd: %v", err)
	}
	r.body = body
	return nil
}

// zstdEncoders use the fastest level, because on bodies such as these it also
// gives the smallest frames, once it may compress literals without matches.
var zstdEncoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
		zstd.WithWindowSize(zstdWindow), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(false))
	if err != nil {
		return err
	}
	return e
}}

// appendZstd appends body as one frame with the header that Parallel Consumer
// writes.
func appendZstd(dst, body []byte) ([]byte, error) {
	e, ok := zstdEncoders.Get().(*zstd.Encoder)
	if !ok {
		return nil, &Error{Class: ErrUnsupported, Format: parallelConsumerName, Position: -1, Reason: "no zstd encoder"}
	}
	defer zstdEncoders.Put(e)
	frame := e.EncodeAll(body, nil)
	// The encoder's own header states the content size where that is 256 or
	// more; its width is in the upper bits of the descriptor.
	sizeField := [...]int{0, 2, 4, 8}[frame[len(zstdMagic)]>>6]
	dst = append(dst, zstdHeader...)
	return append(dst, frame[len(zstdHeader)+sizeField:]...), nil
}

// zstdFloor is the least size of a frame that holds n bytes.
func zstdFloor(n int) int {
	return len(zstdHeader) + zstdSmallestBlock*((n+zstdBlock-1)/zstdBlock)
}
