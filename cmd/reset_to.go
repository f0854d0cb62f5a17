package cmd

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

// destination is the flags that say where to reset to.
type destination struct {
	flags                     *pflag.FlagSet
	offset, shift             int64
	datetime, duration, file  string
	earliest, latest, current bool
	none                      bool
}

func (d *destination) bind(flags *pflag.FlagSet) {
	d.flags = flags
	flags.BoolVar(&d.earliest, "to-earliest", false, "to the start of the log")
	flags.BoolVar(&d.latest, "to-latest", false, "to the end of the log")
	flags.BoolVar(&d.current, "to-current", false, "to where it is")
	flags.BoolVar(&d.none, "delete-offsets", false, "to no commit at all: delete it")
	flags.Int64Var(&d.offset, "to-offset", 0, "to `OFFSET`")
	flags.Int64Var(&d.shift, "shift-by", 0, "by `N` offsets from where it is; back if it is negative")
	flags.StringVar(&d.datetime, "to-datetime", "", "to the first record at or after `TIME`, such as 2026-03-14T00:00:00Z; without a zone it is UTC")
	flags.StringVar(&d.duration, "by-duration", "", "to the first record that is not older than `DURATION`, such as PT1H or 1h30m")
	flags.StringVar(&d.file, "from-file", "", "to the offsets in `FILE`, as kafka-consumer-groups --export writes it; - is standard input")
}

// given are the flags that were given.
func (d *destination) given() []string {
	var given []string
	d.flags.Visit(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, "to-") || f.Name == "by-duration" || f.Name == "shift-by" || f.Name == "from-file" || f.Name == "delete-offsets" {
			given = append(given, "--"+f.Name)
		}
	})
	return given
}

// opFor completes op with the destination. What it can check, it checks now.
func (d *destination) opFor(a *app, group string, op repair.Reset) (opFor, error) {
	switch given := d.given(); {
	case len(given) == 0:
	case d.earliest:
		op.To = repair.ToEarliest
	case d.latest:
		op.To = repair.ToLatest
	case d.current:
		op.To = repair.ToCurrent
	case d.none:
		op.To = repair.ToNone
	case d.file != "":
		table, err := d.table(a, group)
		op.To, op.Table = repair.ToTable, table
		return just(op), err
	case given[0] == "--to-offset":
		if d.offset < 0 {
			return nil, usage("", "--to-offset %d: an offset is not negative", d.offset)
		}
		op.To, op.Offset = repair.ToOffset, d.offset
	case given[0] == "--shift-by":
		op.To, op.Offset = repair.ToShift, d.shift
	case given[0] == "--to-datetime", given[0] == "--by-duration":
		at, err := d.time(a.now())
		return atTime(op, at), err
	default: // such as --to-latest=false
		return nil, usage("such as --to-earliest or --to-offset 17", "%s says to go nowhere", given[0])
	}
	return just(op), nil
}

func (d *destination) table(a *app, group string) ([]repair.TableRow, error) {
	var in io.Reader = a.in
	if d.file != "-" {
		f, err := os.Open(d.file)
		if err != nil {
			return nil, usage("", "--from-file: %w", err)
		}
		defer f.Close()
		in = f
	}
	table, err := repair.ParseTable(in, group)
	if err != nil {
		return nil, usage("lines are topic,partition,offset, as kafka-consumer-groups --export writes them", "--from-file %s: %w", d.file, err)
	}
	return table, nil
}

// time is the time that is asked for, as of now.
func (d *destination) time(now time.Time) (time.Time, error) {
	if d.duration != "" {
		back, err := parseDuration(d.duration)
		if err != nil {
			return time.Time{}, usage("", "--by-duration: %w", err)
		}
		return now.Add(-back).UTC(), nil
	}
	// Kafka's tool has a colon in the zone or none, and takes no zone for UTC.
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, d.datetime); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, usage("", "--to-datetime %q: want a time such as 2026-03-14T03:12:00.000Z", d.datetime)
}

// atTime looks the offsets of a time up, which only the brokers know.
func atTime(op repair.Reset, at time.Time) opFor {
	return func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
		found, err := inspect.OffsetsAt(ctx, store, s, at)
		if err != nil {
			return nil, err
		}
		op.To, op.At = repair.ToTable, &at
		for _, g := range s.Groups {
			for _, p := range g.Partitions {
				if offset, ok := found[p.Key]; ok {
					op.Table = append(op.Table, repair.TableRow{Topic: p.Topic, Partition: p.Partition, Offset: offset})
				}
			}
		}
		return op, nil
	}
}
