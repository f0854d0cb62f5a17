package inspect

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// A part is tables that are laid out, and written, at once: writing each table
// by itself wakes a reader for little. There are enough parts for all processors
// to have some of them.
const (
	tablesOfPart = 4
	leastParts   = 16
)

// writeLarge writes many tables. All processors lay them out, part by part, and
// each writes what it has when it is its turn: while one waits for the reader,
// the others go on. In memory is one part for each of them.
func writeLarge(w io.Writer, tables []Table, color bool) error {
	size := min(tablesOfPart, max(1, len(tables)/leastParts))
	parts := slices.Collect(slices.Chunk(tables, size))
	turns := make([]chan struct{}, len(parts)+1)
	for i := range turns {
		turns[i] = make(chan struct{})
	}
	close(turns[0])
	var err error // belongs to whose turn it is
	var failed atomic.Bool
	writers := sync.Pool{New: func() any { return &tableWriter{color: color} }}
	inParallel(len(parts), func(i int) {
		t := writers.Get().(*tableWriter)
		for k := range parts[i] {
			if t.err == nil && !failed.Load() {
				t.err = t.table(&parts[i][k], i+k == 0, layLines)
			}
		}
		<-turns[i]
		if err == nil {
			t.w = w
			t.flush()
			t.w, err = nil, t.err
			failed.Store(err != nil)
		}
		close(turns[i+1])
		writers.Put(t)
	})
	return err
}
