package repair

import (
	"context"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// Choice narrows a replay to single records, which have to be read to be known.
type Choice struct {
	// Query is which records, by their keys and states.
	Query inspect.RecordQuery
	// Limit is the most records, in the replay's order; 0: all.
	Limit int64
	// MaxReplays leaves out records that were replayed that often before; 0:
	// none.
	MaxReplays int64
}

// Given reports whether c narrows anything.
func (c *Choice) Given() bool { return !c.Query.Keys.All() || c.Limit > 0 || c.MaxReplays > 0 }

// Chosen is what a [Choice] came to.
type Chosen struct {
	Only []Target // the records, sorted, one for each partition
	// Worn is the number of records that were replayed too often.
	Worn int64
}

// Choose reads the records that c asks for and names them. It writes nothing.
func (c *Choice) Choose(ctx context.Context, store *gapstore.Store, g *inspect.Group) (Chosen, error) {
	var chosen Chosen
	var records int64
	ranges := map[place][]codec.Range{}
	for found, err := range inspect.ReadRecords(ctx, store, g, c.Query) {
		switch {
		case err != nil:
			return Chosen{}, err
		case found.Record == nil:
			continue
		case c.MaxReplays > 0 && replays(found.Record.Record) >= c.MaxReplays:
			chosen.Worn++
			continue
		}
		at := place{found.At.Topic, found.At.Partition}
		ranges[at] = appendOffsets(ranges[at], found.At.Offsets)
		if records++; records == c.Limit {
			break
		}
	}
	chosen.Only = targetsIn(ranges)
	return chosen, nil
}

// appendOffsets joins r to the last range where it touches: offsets come one
// by one, and there may be millions.
func appendOffsets(rs []codec.Range, r codec.Range) []codec.Range {
	if n := len(rs); n > 0 && rs[n-1].End == r.Start {
		rs[n-1].End = r.End
		return rs
	}
	return append(rs, r)
}
