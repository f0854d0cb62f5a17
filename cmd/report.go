package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type reportOptions struct {
	app         *app
	connection  connection
	topics      []string
	file        string
	stuckAfter  string
	skipRecords bool
}

func (a *app) reportCommand() *cobra.Command {
	o := &reportOptions{app: a}
	cmd := &cobra.Command{
		Use:   "report GROUP",
		Short: "write all there is to know of a group as one HTML page for a ticket",
		Long: `report writes one HTML page about a group, for an incident's ticket: the
numbers, what is wrong and the command that resolves it, the map, the
partitions, the oldest outstanding records, the gaps and the members. It needs
no network and no script to be read, follows the reader's light or dark scheme,
and can be printed.

Of the records it has the keys, and never the values; --skip-records leaves both
out. The page goes to standard output, or with --file into a file.`,
		Example: `  gapctl report billing > billing.html
  gapctl report billing --file INC-4711.html
  gapctl report billing --topic orders/2 --skip-records | mail -s stuck ops@example.com`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl map, gapctl check, gapctl records"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().StringVar(&o.file, "file", "", "write the page into `FILE`, in place of what is there")
	bindTopics(cmd, &o.topics)
	cmd.Flags().StringVar(&o.stuckAfter, "stuck-after", "1h", "a gap is stuck when its oldest record is older than `DURATION`")
	cmd.Flags().BoolVar(&o.skipRecords, "skip-records", false, "read no records")
	o.connection.bind(cmd.Flags())
	return cmd
}

func (o *reportOptions) run(ctx context.Context, groups []string) error {
	if o.file == "" && o.app.terminal {
		return usage("--file NAME, or > NAME", "a page of HTML is not for a terminal")
	}
	topics, err := inspect.ParseTopics(o.topics)
	if err != nil {
		return usage("", "--topic: %w", err)
	}
	evidence := inspect.Evidence{}
	if evidence.StuckAfter, err = parseDuration(o.stuckAfter); err != nil {
		return usage("", "--stuck-after: %w", err)
	}
	r := inspect.Report{Version: buildVersion()}
	q := inspect.Query{Groups: groups, Topics: topics, SkipAges: o.skipRecords}
	s, gathered := o.app.gatherMore(ctx, &o.connection, q, func(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error {
		if len(s.Groups) != 1 {
			return usage("", "%s is %d groups; a report is about one", groups[0], len(s.Groups))
		}
		r.Records, err = o.look(ctx, store, s, &evidence)
		return err
	})
	if gathered != nil {
		return gathered
	}
	r.Snapshot = s
	if err := o.app.writeResult(o.file, func(w io.Writer) error { return inspect.WriteReport(w, r) }); err != nil {
		return err
	}
	return verdict(&s, groups)
}

// look adds the evidence to s, and is the oldest records. A report without them
// is better than none, unless nobody waits for it any more.
func (o *reportOptions) look(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot, evidence *inspect.Evidence) ([]inspect.Record, error) {
	var records []inspect.Record
	err := inspect.FindEvidence(ctx, store, s, evidence, o.skipRecords)
	inspect.Check(s, evidence)
	if err == nil && !o.skipRecords {
		records, err = inspect.ReadOldest(ctx, store, &s.Groups[0])
	}
	if err != nil && !errors.Is(context.Cause(ctx), errInterrupted) {
		s.Notices = append(s.Notices, fmt.Sprintf("the report is not complete: %v", err))
		err = nil
	}
	return records, err
}
