package gapstore

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/codec"
)

// Where a record batch has what matters here (DefaultRecordBatch, magic 2). Its
// length counts what follows it, its checksum is that of what follows that.
const (
	batchLengthAt     = 8
	batchMagicAt      = 16
	batchCRCAt        = 17
	batchAttributesAt = 21
	batchLastAt       = 23
	batchCountAt      = 57
	batchHeader       = 61

	batchCompression = 0x07 // bits of the attributes
	batchControl     = 0x20
)

// appendThinBatches appends the batches to out, with the records at the wanted
// offsets alone, as log compaction would have left them. What is not understood,
// or is there for transactions, stays as it is.
func appendThinBatches(out, batches []byte, wanted []codec.Range, d decompress) []byte {
	for len(batches) >= batchHeader {
		size := batchSize(batches)
		if size > int64(len(batches)) {
			return out // the last one is cut off
		}
		if size < batchHeader {
			break
		}
		var ok bool
		if out, ok = appendThin(out, batches[:size], wanted, d); !ok {
			out = append(out, batches[:size]...)
		}
		batches = batches[size:]
	}
	return append(out, batches...)
}

// decompress gives what one batch holds, until the next is decompressed.
type decompress func(src []byte, codec kgo.CompressionCodecType) ([]byte, error)

// batchSize is how many bytes the first of the batches takes, as it says itself.
// They have a header.
func batchSize(batches []byte) int64 {
	return int64(int32(binary.BigEndian.Uint32(batches[batchLengthAt:]))) + batchLengthAt + 4
}

// covered reports whether everything that can be in the batches is wanted.
func covered(batches []byte, wanted []codec.Range) bool {
	if len(batches) < batchHeader {
		return true
	}
	first := int64(binary.BigEndian.Uint64(batches))
	// A record takes 7 bytes or more, unless it is compressed; then the batch
	// may be thinned for nothing.
	return len(wanted) > 0 && wanted[0].Start <= first && wanted[0].End-first > int64(len(batches))
}

// appendThin appends the thin batch to out, not ok when it can not be thinned.
func appendThin(out, batch []byte, wanted []codec.Range, d decompress) ([]byte, bool) {
	attributes := binary.BigEndian.Uint16(batch[batchAttributesAt:])
	if batch[batchMagicAt] != 2 || attributes&batchControl != 0 || checksum(batch) != binary.BigEndian.Uint32(batch[batchCRCAt:]) {
		return out, false
	}
	first := int64(binary.BigEndian.Uint64(batch))
	last := first + int64(int32(binary.BigEndian.Uint32(batch[batchLastAt:])))
	for len(wanted) > 0 && wanted[0].End <= first {
		wanted = wanted[1:]
	}
	if mostly(wanted, codec.Range{Start: first, End: last + 1}) {
		return out, false
	}
	start := len(out)
	out = append(out, batch[:batchHeader]...)
	count := 0
	if len(wanted) > 0 && wanted[0].Start <= last {
		records := batch[batchHeader:]
		if compression := attributes & batchCompression; compression != 0 {
			var err error
			if records, err = d(records, kgo.CompressionCodecType(compression)); err != nil {
				return out[:start], false
			}
		}
		all := int32(binary.BigEndian.Uint32(batch[batchCountAt:]))
		var ok bool
		if out, count, ok = appendWanted(out, cutter{records, first, all}, wanted); !ok {
			return out[:start], false
		}
	}
	thin := out[start:]
	binary.BigEndian.PutUint32(thin[batchLengthAt:], uint32(len(thin)-batchLengthAt-4))
	binary.BigEndian.PutUint16(thin[batchAttributesAt:], attributes&^batchCompression)
	binary.BigEndian.PutUint32(thin[batchCountAt:], uint32(count))
	binary.BigEndian.PutUint32(thin[batchCRCAt:], checksum(thin))
	return out, true
}

// mostly reports whether half of the offsets in batch, or more, are wanted: to
// leave the others out would cost more than it saves.
func mostly(wanted []codec.Range, batch codec.Range) bool {
	var n int64
	for _, w := range wanted {
		if w.Start >= batch.End {
			break
		}
		n += w.Clip(batch).Len()
	}
	return 2*n >= batch.Len()
}

// checksum is the one that the batch ought to have.
func checksum(batch []byte) uint32 {
	return crc32.Checksum(batch[batchAttributesAt:], crc32.MakeTable(crc32.Castagnoli))
}

// appendWanted appends the records at the wanted offsets, and counts them. Those
// above the last one are not looked at. Not ok: these are no records.
func appendWanted(out []byte, records cutter, wanted []codec.Range) ([]byte, int, bool) {
	count := 0
	for records.left > 0 {
		record, offset, ok := records.cut()
		if !ok {
			return out, 0, false
		}
		for len(wanted) > 0 && wanted[0].End <= offset {
			wanted = wanted[1:]
		}
		if len(wanted) == 0 {
			break
		}
		if wanted[0].Contains(offset) {
			out = append(out, record...)
			count++
		}
	}
	return out, count, true
}

// cutter cuts the records of a batch (DefaultRecord) off one by one.
type cutter struct {
	records []byte
	first   int64 // offset of the batch
	left    int32
}

// cut is the next record with the length before it, and its offset.
func (c *cutter) cut() (record []byte, offset int64, ok bool) {
	size, n := binary.Varint(c.records)
	if n <= 0 || size < 1 || size > int64(len(c.records)-n) {
		return nil, 0, false
	}
	record = c.records[:n+int(size)]
	at := n + 1 // its attributes
	_, used := binary.Varint(record[at:])
	if used <= 0 {
		return nil, 0, false
	}
	delta, n := binary.Varint(record[at+used:])
	c.records = c.records[len(record):]
	c.left--
	return record, c.first + delta, n > 0
}
