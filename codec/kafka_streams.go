package codec

import "time"

const kafkaStreamsName = "kafka-streams"

// kafkaStreams is the partition time that Kafka Streams commits
// (TopicPartitionMetadata, ProcessorMetadata): it holds no gaps.
//
//	metadata = base64( version 1 or 2, int64 partition time ms [, processors] )
//	processors (version 2) = int32 count, count times int32 length, key, int64 value
//
// Only what is exactly so is accepted, for other clients write base64 as well.
var kafkaStreams = Format{
	Name:    kafkaStreamsName,
	Carrier: CommitMetadata,
	Foreign: true,
	Writer:  "Kafka Streams",
	match: func(metadata string) bool {
		_, _, err := readStreamsTime(metadata)
		return err == nil
	},
	decode: decodeKafkaStreams,
}

func decodeKafkaStreams(metadata string, committed int64) (Decoded, error) {
	ms, processors, err := readStreamsTime(metadata)
	if err != nil {
		return Decoded{}, err
	}
	when := "unknown"
	if ms >= 0 {
		when = time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return foreignDecoded(committed, "Kafka Streams: partition time %s, metadata of %d processors", when, processors), nil
}

// readStreamsTime is the partition time, -1 when not known, and the number of
// processors' entries behind it.
func readStreamsTime(metadata string) (ms int64, processors int, err *Error) {
	raw, position := decodeBase64(metadata)
	if position >= 0 {
		return 0, 0, &Error{Class: ErrCorrupt, Format: kafkaStreamsName, Position: position, Reason: "not base64"}
	}
	r := recordReader{format: kafkaStreamsName, part: "partition time", buf: raw}
	version := r.int8()
	if version != 1 && version != 2 {
		r.fail(0, "version %d is not known", version)
	}
	if ms = r.int64(); ms < -1 {
		r.fail(1, "the time %d is negative", ms)
	}
	if version == 2 && r.left() > 0 {
		processors = r.processors()
	}
	r.end()
	return ms, processors, r.err
}

// processors skips the entries of version 2 and is their number.
func (r *recordReader) processors() int {
	at := r.at
	n := int(r.int32())
	if n < 0 || n > r.left()/12 {
		r.fail(at, "%d entries are claimed, the %d bytes left can not hold them", n, r.left())
		return 0
	}
	for range n {
		at, size := r.at, int(r.int32())
		if size < 0 || size > r.left() {
			r.fail(at, "a key claims %d bytes, %d are left", size, r.left())
			return 0
		}
		r.take(size)
		r.int64()
	}
	return n
}
