package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type checkOptions struct {
	app         *app
	connection  connection
	choice      choice
	output      string
	outputFile  string
	stuckAfter  string
	samples     int
	interval    string
	skipRecords bool
	exitCode    bool
	every       everyGroup
}

// outputPrometheus is the output that only check has.
const outputPrometheus = "prometheus"

func checkOutputs() []string { return append(inspect.Outputs(), outputPrometheus) }

func (a *app) checkCommand() *cobra.Command {
	o := &checkOptions{app: a}
	cmd := &cobra.Command{
		Use:   "check [GROUP…]",
		Short: "find what is wrong with groups, why, and what resolves it",
		Long: `check looks at groups, or at all of them, and reports everything that is wrong
or worth knowing, each with its cause and the command that resolves it: records
that retention has removed, gaps that never close by themselves, gaps that are
stuck, metadata that is near its limit, open transactions, bytes that can not be
read, what Parallel Consumer would make of the bytes when it starts, and more.

It reads the records around the gaps, to find gaps without records, and a few
records of each partition, to find what the stuck ones have in common;
--skip-records leaves both out. With --samples 2 it looks twice and forecasts
when metadata will be full.

It exits with 3 when a finding is a warning or an error, with 6 when there was
none but something could not be read, and with 0 when all is well.`,
		Example: `  gapctl check
  gapctl check billing --samples 2 --interval 30s --stuck-after 10m
  gapctl check -o prometheus --output-file /var/lib/node_exporter/gapctl.prom`,
		Annotations: related("gapctl describe, gapctl compact, gapctl-exit-codes(7)"),
		Args:        o.every.checkNames,
		RunE:        a.running(o.run),
	}
	o.every.bind(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "how to write the result: `FORMAT` is "+strings.Join(checkOutputs(), ", ")+", template=TEXT or jq=EXPR (default table)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(checkOutputs(), cobra.ShellCompDirectiveNoFileComp))
	f.StringVar(&o.outputFile, "output-file", "", "write the result to `FILE`, which is replaced at once as a whole")
	f.StringVar(&o.stuckAfter, "stuck-after", "1h", "a gap is stuck when its oldest record is older than `DURATION`")
	f.IntVar(&o.samples, "samples", 1, "look `N` times, and forecast")
	f.StringVar(&o.interval, "interval", "10s", "wait `DURATION` between samples")
	f.BoolVar(&o.skipRecords, "skip-records", false, "read no records: no phantoms, and no poison suspects")
	f.BoolVar(&o.exitCode, "exit-code", true, "exit with 3 when a finding is a warning or an error, which check always does")
	o.choice.bind(cmd)
	o.connection.bind(f)
	return cmd
}

func (o *checkOptions) run(ctx context.Context, groups []string) error {
	e, interval, err := o.evidence()
	if err != nil {
		return err
	}
	write, err := o.writer()
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	q.All = len(groups) == 0
	store, s, gathered := o.app.gatherOpen(ctx, &o.connection, q, nil)
	if store != nil {
		defer store.Close()
	}
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	unread, err := o.look(ctx, store, q, &s, &e, interval)
	if err != nil {
		return err
	}
	inspect.Check(&s, &e)
	v := inspect.NewCheckView(s)
	if err := o.app.writeResult(o.outputFile, func(w io.Writer) error { return write(w, v) }); err != nil {
		return err
	}
	return o.judge(&v, errors.Join(gathered, unread))
}

// evidence is what the flags say about it, and how long to wait between samples.
func (o *checkOptions) evidence() (e inspect.Evidence, interval time.Duration, err error) {
	if e.StuckAfter, err = parseDuration(o.stuckAfter); err != nil {
		return e, 0, usage("", "--stuck-after: %w", err)
	}
	if interval, err = parseDuration(o.interval); err != nil {
		return e, 0, usage("", "--interval: %w", err)
	}
	if o.samples < 1 || o.samples > 1000 {
		return e, 0, usage("", "--samples %d: want 1 to 1000", o.samples)
	}
	return e, interval, nil
}

// writer makes what writes the result, so that a wrong flag is an error before
// anything is asked of the cluster.
func (o *checkOptions) writer() (func(io.Writer, inspect.CheckView) error, error) {
	name := o.app.setting(o.output, "GAPCTL_OUTPUT", string(inspect.OutputTable))
	if name != outputPrometheus {
		if _, err := inspect.ParseOutput(name); err != nil {
			return nil, usage("check has prometheus besides", "%w", err)
		}
	}
	style, err := o.app.style()
	if err != nil {
		return nil, err
	}
	if o.outputFile != "" {
		style.Color = false
	}
	return func(w io.Writer, v inspect.CheckView) error {
		if name == outputPrometheus {
			return v.WritePrometheus(w)
		}
		return inspect.Write(w, inspect.Output(name), v, style)
	}, nil
}

// look gathers s again as often as wanted, and then the evidence. Evidence that
// is not complete is no reason to keep the findings back.
func (o *checkOptions) look(ctx context.Context, store *gapstore.Store, q inspect.Query, s *inspect.Snapshot, e *inspect.Evidence, interval time.Duration) (unread, err error) {
	first, begun := *s, time.Now()
	for range o.samples - 1 {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(interval):
		}
		again, err := o.again(ctx, store, q)
		if err != nil {
			return nil, err
		}
		*s, e.Earlier, e.Elapsed = again, &first, time.Since(begun)
	}
	limited, cancel, err := o.app.limited(ctx, &o.connection)
	if err != nil {
		return nil, err
	}
	defer cancel()
	told := first.Notices
	unread = inspect.FindEvidence(limited, store, s, e, o.skipRecords)
	o.app.sayNew(s.Notices, told)
	switch {
	case unread == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return fail(exitPartial, "--skip-records reads less, and a longer --timeout gives more time", "not everything was searched: %w", causeOf(limited, unread)), nil
}

// again is one more sample of what was there at first.
func (o *checkOptions) again(ctx context.Context, store *gapstore.Store, q inspect.Query) (inspect.Snapshot, error) {
	ctx, cancel, err := o.app.limited(ctx, &o.connection)
	if err != nil {
		return inspect.Snapshot{}, err
	}
	defer cancel()
	s, err := gatherFrom(ctx, store, q)
	if err != nil {
		return s, err
	}
	s.TakenAt = o.app.now()
	s.Groups = slices.DeleteFunc(s.Groups, func(g inspect.Group) bool { // as the first sample said
		return errors.Is(g.Err, gapstore.ErrNotFound)
	})
	return s, nil
}

// sayNew says the notices that are not among those told.
func (a *app) sayNew(notices, told []string) {
	for _, notice := range notices {
		if !slices.Contains(told, notice) {
			a.say(notice)
		}
	}
}

// judge is how the process ends: findings come first, for they are certain.
func (o *checkOptions) judge(v *inspect.CheckView, gathered error) error {
	if err := attention(&v.Snapshot); err != nil {
		if gathered != nil {
			o.app.say(gathered.Error())
		}
		for _, u := range v.Unread {
			o.app.say("not read: " + u.Group + ": " + u.Error.Message)
		}
		return err
	}
	if gathered != nil {
		return gathered
	}
	if err := verdict(&v.Snapshot, nil); err != nil {
		return err
	}
	if len(v.Notices) > 0 {
		return fail(exitPartial, "", "not everything could be read, so there may be more to find")
	}
	if len(v.Findings) == 0 && o.outputFile == "" {
		o.app.say(fmt.Sprintf("nothing to report on %s", inspect.Plural(len(v.Snapshot.Groups), "group")))
	}
	return nil
}
