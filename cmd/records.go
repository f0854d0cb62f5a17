package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type recordsOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
	keys       keys

	outstanding, rejected, done, lost bool

	values bool
	print  string
	order  string
	limit  int64
}

func (a *app) recordsCommand() *cobra.Command {
	o := &recordsOptions{app: a}
	cmd := &cobra.Command{
		Use:   "records GROUP [TOPIC/PARTITION@OFFSETS…]",
		Short: "show the outstanding records themselves",
		Long: `records reads the records in the gaps of a group, and only those: their offsets,
times, keys, sizes and headers, and how often a share group has delivered them.
It never joins the group and never commits.

With --rejected, --done or --outstanding it shows those records instead, or
together. --lost shows the ranges whose records retention has removed.

-f prints each record by a format, as kcat does: %t topic, %p partition,
%o offset, %T timestamp, %k key, %K its length, %s value, %S its length,
%h headers, %g group, %d delivery count, and \n, \t, \xHH. Bytes reach a file or
a pipe as they are, and a terminal without control characters.

A record is shown when any of the key flags fits. With --key alone, only the
partition is read that the partitioner sends the key to: --all-partitions also
finds what was written before the topic had as many partitions as now.`,
		Example: `  gapctl records billing orders/2@833-842 --values -o json
  gapctl records billing --key customer-17 -f '%p@%o %T %s\n'
  gapctl records email-sender --rejected --order arrival`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: related("gapctl gaps, gapctl describe, gapctl skip"),
		RunE:        a.running(o.run),
	}
	f := cmd.Flags()
	f.BoolVar(&o.outstanding, "outstanding", false, "records in gaps; the default")
	f.BoolVar(&o.rejected, "rejected", false, "records that a share group has given up")
	f.BoolVar(&o.done, "done", false, "records that are committed, as far as the log has them")
	f.BoolVar(&o.lost, "lost", false, "ranges of gaps whose records retention has removed")
	f.BoolVar(&o.values, "values", false, "with the values")
	f.StringVarP(&o.print, "print", "f", "", "print each record as `TEXT`, in which %o is its offset, and so on")
	f.Int64Var(&o.limit, "limit", 0, "stop after `N` records")
	bindOrder(cmd, &o.order)
	o.keys.bind(cmd)
	o.choice.bind(cmd)
	o.connection.bind(f)
	o.output.bind(cmd)
	return cmd
}

func bindOrder(cmd *cobra.Command, order *string) {
	cmd.Flags().StringVar(order, "order", "partition", "`ORDER` is partition, or arrival: all partitions merged by timestamp")
	_ = cmd.RegisterFlagCompletionFunc("order", cobra.FixedCompletions([]string{"partition", "arrival"}, cobra.ShellCompDirectiveNoFileComp))
}

func parseOrder(name string) (gapstore.Order, error) {
	switch name {
	case "partition":
		return gapstore.ByPartition, nil
	case "arrival":
		return gapstore.ByArrival, nil
	}
	return 0, usage("", "--order %q: want partition or arrival", name)
}

func (o *recordsOptions) run(ctx context.Context, args []string) error {
	if o.lost {
		return o.runLost(ctx, args[:1])
	}
	query, err := o.query(args[1:])
	if err != nil {
		return err
	}
	if _, err := o.writer(false); err != nil {
		return err
	}
	q, err := o.choice.query(args[:1])
	if err != nil {
		return err
	}
	q.SkipAges = true
	if len(args) > 1 {
		q.Topics = append(q.Topics, topicsOf(query.only)...)
	}
	store, s, gathered := o.app.gatherOpen(ctx, &o.connection, q, nil)
	if store != nil {
		defer store.Close()
	}
	if gathered != nil {
		return gathered
	}
	o.app.sayEmpty(&s, o.choice.given() || len(args) > 1)
	if err := o.stream(ctx, store, &s, query.RecordQuery); err != nil {
		return err
	}
	return verdict(&s, args[:1])
}

// recordsQuery is what the flags ask for.
type recordsQuery struct {
	inspect.RecordQuery
	only []repair.Target
}

func (o *recordsOptions) query(ranges []string) (q recordsQuery, err error) {
	if q.only, err = repair.ParseTargets(ranges); err != nil {
		return q, usage("", "%w", err)
	}
	for _, t := range q.only {
		q.Only = append(q.Only, gapstore.Target(t))
	}
	if q.Keys, err = o.keys.filter(); err != nil {
		return q, err
	}
	if q.Order, err = parseOrder(o.order); err != nil {
		return q, err
	}
	if o.limit < 0 {
		return q, usage("", "--limit %d: want a number of records", o.limit)
	}
	q.AllPartitions = o.keys.all
	for state, asked := range map[inspect.RecordState]bool{
		inspect.RecordOutstanding: o.outstanding, inspect.RecordRejected: o.rejected, inspect.RecordDone: o.done,
	} {
		if asked {
			q.States = append(q.States, state)
		}
	}
	return q, nil
}

// writer writes records as the flags say; shares: of a share group.
func (o *recordsOptions) writer(shares bool) (inspect.RecordWriter, error) {
	style, err := o.app.style()
	if err != nil {
		return nil, err
	}
	if o.print != "" {
		w, err := inspect.NewRecordPrinter(o.app.out, o.print, o.app.terminal)
		if err != nil {
			return nil, usage("", "--print: %w", err)
		}
		return w, nil
	}
	states := 0
	for _, asked := range []bool{o.outstanding, o.rejected, o.done} {
		if asked {
			states++
		}
	}
	w, err := inspect.NewRecordWriter(o.app.out, inspect.RecordStyle{
		Output: inspect.Output(o.app.setting(o.output.name, "GAPCTL_OUTPUT", string(inspect.OutputTable))),
		Style:  style, Values: o.values, States: states > 1, Deliveries: shares, Now: o.app.now(),
	})
	if err != nil {
		return nil, usage("", "%w", err)
	}
	return w, nil
}

// stream reads and writes the records. What can not be read of one partition
// is an error once the others are written.
func (o *recordsOptions) stream(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot, q inspect.RecordQuery) error {
	w, err := o.writer(slices.ContainsFunc(s.Groups, func(g inspect.Group) bool { return g.Type == "share" }))
	if err != nil {
		return err
	}
	var unread []error
	written, empty := int64(0), int64(0)
	for i := range s.Groups {
		for found, err := range inspect.ReadRecords(ctx, store, &s.Groups[i], q) {
			switch {
			case err != nil:
				unread = append(unread, err)
				continue
			case found.Record == nil:
				empty += found.At.Offsets.Len()
				continue
			}
			if err := w.Write(found.Record); err != nil {
				return err
			}
			if written++; written == o.limit {
				return w.Close()
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if empty > 0 && !o.done {
		o.app.say(fmt.Sprintf("no record that a consumer could get at %s: gapctl compact closes such gaps", inspect.Plural(empty, "offset")))
	}
	return o.judge(unread, written)
}

func (o *recordsOptions) judge(unread []error, written int64) error {
	switch {
	case len(unread) == 0:
		return nil
	case written > 0:
		return summed(exitPartial, unread)
	case errors.Is(unread[0], gapstore.ErrDenied):
		return summed(exitDenied, unread)
	case errors.Is(unread[0], gapstore.ErrUnavailable):
		return summed(exitUnavailable, unread)
	}
	return unread[0]
}

// runLost shows what is left to tell of records that are gone: where they were.
func (o *recordsOptions) runLost(ctx context.Context, groups []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	q.SkipAges = true
	s, gathered := o.app.gather(ctx, &o.connection, q)
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	return o.app.show(print, inspect.NewLostView(s), s, groups, gathered)
}
