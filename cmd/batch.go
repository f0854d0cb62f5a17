package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gapctl/gapctl/codec"
)

// maxLine bounds one line of a batch: ten million gaps in a record fit.
const maxLine = 64 << 20

// answer is the result for one line of a batch.
type answer interface{ WriteLine(io.Writer) error }

// asker answers one line; ok is false when the answer is an error.
type asker struct {
	// ask answers a line of JSON, without its end.
	ask func(line []byte) (a answer, ok bool)
	// refuse answers a line that is not to be looked at.
	refuse func(err error) answer
}

// batch answers each line of standard input with one line, in order. Answers
// go out as soon as no further line is waiting.
func (a *app) batch(ctx context.Context, q asker) error {
	source := input(ctx, a.in)
	defer source.Close()
	in := bufio.NewReaderSize(source, 1<<16)
	out := bufio.NewWriterSize(a.out, 1<<16)
	lines, bad := 0, 0
	for ctx.Err() == nil {
		line, err := readLine(in, maxLine)
		if err == io.EOF {
			break
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return errors.Join(out.Flush(), fmt.Errorf("read standard input: %w", err))
		}
		if len(line) == 0 && err == nil {
			continue // a blank line asks nothing
		}
		lines++
		reply, ok := q.refuse(err), false
		if err == nil {
			reply, ok = q.ask(line)
		}
		if !ok {
			bad++
		}
		if err := reply.WriteLine(out); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	if bad > 0 {
		return fail(exitCorrupt, "", "%d of %d lines could not be answered; each says why", bad, lines)
	}
	return nil
}

// errLongLine is a line beyond the limit; the reader stands after it.
var errLongLine = &codec.Error{Class: codec.ErrTooLarge, Position: -1, Limit: maxLine, Reason: "the line is longer than 64 MiB"}

// readLine is the next line without its end. It is valid until the next read.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line, err = readLongLine(in, append([]byte(nil), line...), limit)
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return trimEnd(line), err
}

func readLongLine(in *bufio.Reader, line []byte, limit int) ([]byte, error) {
	tooLong := false
	for {
		more, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(more) > limit; !tooLong {
			line = append(line, more...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case tooLong && (err == nil || err == io.EOF):
			return nil, errLongLine
		}
		return line, err
	}
}

func trimEnd(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	return line
}
