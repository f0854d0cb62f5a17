package main

import (
	"encoding/base64"
	"encoding/binary"
	"io"
	"runtime"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"
)

// bytesPerWrite is what a pipe holds.
const bytesPerWrite = 60 << 10

// printRows prints a line for each partition, on all processors and in no order.
// All commits are taken for what the benchmark has made: Parallel Consumer's
// run-length-v1.
func printRows(w io.Writer, told []*kmsg.OffsetFetchResponse) error {
	var mu sync.Mutex
	var printing errgroup.Group
	printing.SetLimit(runtime.GOMAXPROCS(0))
	for _, resp := range told {
		printing.Go(func() error {
			var lines, payload []byte
			write := func() error {
				mu.Lock()
				defer mu.Unlock()
				_, err := w.Write(lines)
				lines = lines[:0]
				return err
			}
			for _, g := range resp.Groups {
				for _, t := range g.Topics {
					for i := range t.Partitions {
						var err error
						if lines, payload, err = appendRow(lines, payload, t.Topic, &t.Partitions[i]); err != nil {
							return err
						}
						if len(lines) < bytesPerWrite {
							continue
						}
						if err := write(); err != nil {
							return err
						}
					}
				}
			}
			return write()
		})
	}
	return printing.Wait()
}

// appendRow appends the partition's line; payload is room to decode in.
func appendRow(line, payload []byte, topic string, p *kmsg.OffsetFetchResponseGroupTopicPartition) ([]byte, []byte, error) {
	payload, err := base64.StdEncoding.AppendDecode(payload[:0], []byte(*p.Metadata))
	if err != nil {
		return nil, nil, err
	}
	line = strconv.AppendInt(append(append(line, topic...), '/'), int64(p.Partition), 10)
	field := func(n int64) { line = strconv.AppendInt(append(line, "  "...), n, 10) }
	at, outstanding, gaps := p.Offset, int64(0), int64(0)
	for runs := payload[1:]; len(runs) >= 4; runs = runs[4:] {
		incomplete, complete := int64(binary.BigEndian.Uint16(runs)), int64(binary.BigEndian.Uint16(runs[2:]))
		if gaps++; gaps <= gapsShown {
			field(at)
		}
		outstanding += incomplete
		at += incomplete + complete
	}
	for _, n := range []int64{gaps, p.Offset, at, outstanding, int64(len(*p.Metadata))} {
		field(n)
	}
	return append(line, "  parallel-consumer\n"...), payload, nil
}

// gapsShown is how many of a partition's gaps are printed.
const gapsShown = 4
