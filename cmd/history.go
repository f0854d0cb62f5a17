package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type historyOptions struct {
	app        *app
	connection connection
	output     output
	topics     []string
	limit      int
}

// maxHistory bounds --limit, and so the memory.
const maxHistory = 100_000

func (a *app) historyCommand() *cobra.Command {
	o := &historyOptions{app: a}
	cmd := &cobra.Command{
		Use:   "history GROUP",
		Short: "show how a group's commits came to be what they are",
		Long: `history shows each commit of a group that Kafka's internal topics still hold,
in order of time: the stable and the max offset, how much was outstanding, and
against the commit before it what was closed (outstanding before, and done),
opened (outstanding, and not before) and undone (done before, and not any more,
as by a reset). Commits of transactions are shown only if they committed.

It reads __consumer_offsets, and for share groups __share_group_state, which
needs READ on the topic. Log compaction keeps only the newest commit of each
partition for certain; what came before is there for as long as it lasts. Also a
group that was deleted may still have a history.`,
		Example: `  gapctl history billing
  gapctl history billing --topic orders/2 --limit 20
  gapctl history billing -o json | jq '.commits[] | select(.undone_count > 0)'`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl describe, gapctl check, gapctl undo"),
		RunE:        a.running(o.run),
	}
	f := cmd.Flags()
	bindTopics(cmd, &o.topics)
	f.IntVar(&o.limit, "limit", 100, "the newest `N` commits")
	o.connection.bind(f)
	o.output.bind(cmd)
	return cmd
}

func (o *historyOptions) run(ctx context.Context, args []string) error {
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	topics, err := inspect.ParseTopics(o.topics)
	if err != nil {
		return usage("", "--topic: %w", err)
	}
	if o.limit < 1 || o.limit > maxHistory {
		return usage("", "--limit %d: want 1 to %d", o.limit, maxHistory)
	}
	store, s, gathered := o.app.gatherOpen(ctx, &o.connection, inspect.Query{Groups: args, SkipAges: true}, nil)
	if store != nil {
		defer store.Close()
	}
	if gathered != nil && !errors.Is(gathered, gapstore.ErrNotFound) {
		return gathered
	}
	g := &inspect.Group{Name: args[0]}
	for i := range s.Groups {
		if s.Groups[i].Name == args[0] {
			g = &s.Groups[i]
		}
	}
	ctx, cancel, err := o.app.limited(ctx, &o.connection)
	if err != nil {
		return err
	}
	defer cancel()
	h, err := inspect.ReadHistory(ctx, store, g, inspect.HistoryQuery{Topics: topics, Limit: o.limit})
	if err != nil {
		return causeOf(ctx, err)
	}
	if len(h.Commits) == 0 && gathered != nil {
		return gathered
	}
	o.sayMissing(&h)
	return print(inspect.NewHistoryView(s, args[0], h))
}

// sayMissing says what is not shown.
func (o *historyOptions) sayMissing(h *inspect.History) {
	switch {
	case h.Earlier > 0:
		o.app.say(fmt.Sprintf("%s before these; a higher --limit shows them", inspect.Plural(h.Earlier, "commit")))
	case len(h.Commits) == 0 && len(h.Logs) > 0:
		o.app.say(fmt.Sprintf("%s/%d holds no such commit", h.Logs[0].Topic, h.Logs[0].Partition))
	case len(h.Commits) == 0:
		o.app.say("nothing is committed")
	}
}
