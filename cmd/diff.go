package cmd

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type diffOptions struct {
	app        *app
	connection connection
	output     output
	choice     choice
	exitCode   bool
}

func (a *app) diffCommand() *cobra.Command {
	o := &diffOptions{app: a}
	cmd := &cobra.Command{
		Use:   "diff FILE [FILE]",
		Short: "compare two snapshots, or a snapshot with now",
		Long: `diff shows what became of the groups in a snapshot, which is what describe
-o json prints: partition by partition which gaps closed, which opened, which
are still there, and what was committed and is not any more, so that it will be
processed again. With one FILE the other side is the cluster as it is now; - is
standard input. Partitions whose commit is the same are only counted.`,
		Example: `  gapctl describe billing -o json > before.json; sleep 60; gapctl diff before.json
  gapctl diff before.json after.json -o wide
  gapctl diff --exit-code before.json -o csv`,
		Args:        cobra.RangeArgs(1, 2),
		Annotations: related("gapctl describe, gapctl watch, gapctl history"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 3 when they differ")
	bindTopics(cmd, &o.choice.topics)
	o.connection.bind(cmd.Flags())
	o.output.bind(cmd)
	return cmd
}

func (o *diffOptions) run(ctx context.Context, files []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	q, err := o.choice.query(nil)
	if err != nil {
		return err
	}
	before, err := o.app.readSnapshot(ctx, files[0])
	if err != nil {
		return err
	}
	var after inspect.Snapshot
	if len(files) == 2 {
		after, err = o.app.readSnapshot(ctx, files[1])
	} else {
		after, err = o.now(ctx, before, q)
	}
	if err != nil {
		return err
	}
	if before.ClusterID != after.ClusterID {
		o.app.say("the snapshots are of two clusters: " + before.ClusterID + " and " + after.ClusterID)
	}
	v := inspect.NewDiffView(before, after, q.Topics)
	if err := print(v); err != nil {
		return err
	}
	if o.exitCode && v.Differs() {
		return fail(exitFindings, "", "the commits differ")
	}
	if len(files) == 2 {
		return nil
	}
	return verdict(&after, nil)
}

// now gathers the groups of before as they are. A group that does not exist any
// more is a difference, and no error.
func (o *diffOptions) now(ctx context.Context, before inspect.Snapshot, q inspect.Query) (inspect.Snapshot, error) {
	for i := range before.Groups {
		q.Groups = append(q.Groups, before.Groups[i].Name)
	}
	q.SkipAges = true
	s, err := o.app.gather(ctx, &o.connection, q)
	if err != nil && !errors.Is(err, gapstore.ErrNotFound) {
		return s, err
	}
	return s, nil
}

// readSnapshot reads the describe document in a file, or on standard input.
func (a *app) readSnapshot(ctx context.Context, name string) (inspect.Snapshot, error) {
	var r io.ReadCloser
	if name == "-" {
		r = input(ctx, a.in)
	} else if f, err := os.Open(name); err == nil {
		r = f
	} else {
		return inspect.Snapshot{}, err
	}
	defer r.Close()
	s, err := inspect.ReadDescription(r)
	if err != nil {
		return s, fail(exitCorrupt, "gapctl describe GROUP -o json makes one", "%s is no snapshot: %w", name, err)
	}
	return s, nil
}
