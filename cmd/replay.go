package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
	"github.com/gapctl/gapctl/repair"
)

type replayOptions struct {
	repairing  repairing
	choice     choice
	keys       keys
	op         repair.Replay
	order      string
	fromDLQ    string
	limit      int64
	maxReplays int64
}

func (a *app) replayCommand() *cobra.Command {
	o := &replayOptions{repairing: repairing{app: a}}
	cmd := &cobra.Command{
		Use:   "replay GROUP [TOPIC/PARTITION@OFFSETS…] --to-topic TOPIC | --exec COMMAND | --to-stdout",
		Short: "deliver the outstanding records again, and close their gaps",
		Long: `replay delivers the outstanding records of a group again, and only those, and
closes their gaps. Consumers of the group must be stopped.

--to-topic copies each record with its key, value, headers and timestamp to
the partition of the same number (--repartition: to where its key belongs),
and adds the headers of a dead-letter record (KIP-1191), __dlq.errors.topic,
.partition, .offset, .group, .delivery.count (0 where it is not known) and
.message, and __gapctl.replay.count. Copies and closed gaps are one
transaction: killed at any moment and run again, each record is there exactly
once for read-committed consumers.

--exec runs a shell command for each record, with the value on standard input
and the rest in GAPCTL_TOPIC, GAPCTL_PARTITION, GAPCTL_OFFSET, GAPCTL_KEY,
GAPCTL_KEY_BASE64, GAPCTL_TIMESTAMP, GAPCTL_HEADERS, GAPCTL_GROUP and
GAPCTL_DELIVERY_COUNT. Exit status 0 closes the record's gap; any other leaves
it open, and the next record is tried. --to-stdout writes JSON lines. Both
deliver at least once: killed between a delivery and its commit, the record
comes again.

Key flags, --limit and --max-replays read the records to make the plan, which
then names them. --from-dlq replays what a dead-letter topic holds of the
group: the originals, not the copies there.

--together lets several processes, on any machines, drain one group: run the
same command on each. They join the group and share its partitions out, each to
one process at a time; further ones wait, ready to take over. When one comes,
ends or dies, which takes its session 15 seconds to notice, the partitions are
shared out again, and each record is copied exactly once all the same. All end
when nothing is outstanding. A consumer that arrives ends them all. --rate,
--limit and the plan are each process's own: two with --limit 100 that plan the
same records copy these 100. So is the journal, and gapctl undo takes back what
one process has done by itself, and nothing that others had a part in.

--rejected copies the records that a share group has given up, which nothing
else brings back, in one transaction for up to 100,000 of them. The group
stays as it is and may be at work: run again, it copies them again.

Without --execute it prints the plan, and nothing is written.`,
		Example: `  gapctl replay billing --to-topic orders-retry
  gapctl replay billing orders/2@833-842 --to-topic orders-retry --together --execute
  gapctl replay billing --key customer-17 --exec './fix.sh' --execute --yes`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: related("gapctl records, gapctl skip, gapctl undo"),
		RunE:        a.running(o.run),
	}
	f := cmd.Flags()
	f.StringVar(&o.op.ToTopic, "to-topic", "", "copy the records to `TOPIC`, exactly once")
	f.StringVar(&o.op.Exec, "exec", "", "run the shell command `COMMAND` for each record, at least once")
	f.BoolVar(&o.op.ToStdout, "to-stdout", false, "write the records to standard output as JSON lines, at least once")
	f.BoolVar(&o.op.Repartition, "repartition", false, "let the keys decide on the partition of the copies")
	f.Int64Var(&o.op.Rate, "rate", 0, "deliver at most `N` records per second")
	f.Int64Var(&o.limit, "limit", 0, "deliver at most `N` records")
	f.Int64Var(&o.maxReplays, "max-replays", 0, "leave out records that were replayed `N` times before")
	f.BoolVar(&o.op.Rejected, "rejected", false, "records that a share group has given up, to a topic")
	f.BoolVar(&o.op.Together, "together", false, "share the work with other processes that do the same, to a topic")
	f.StringVar(&o.fromDLQ, "from-dlq", "", "replay the originals of the records in the dead-letter `TOPIC`")
	bindOrder(cmd, &o.order)
	o.keys.bind(cmd)
	o.choice.bind(cmd)
	o.repairing.bind(cmd)
	return cmd
}

func (o *replayOptions) run(ctx context.Context, args []string) error {
	order, err := parseOrder(o.order)
	if err != nil {
		return err
	}
	o.op.ByArrival = order == gapstore.ByArrival
	if o.op.Repartition {
		o.op.Partitioner = o.keys.partitioner
	}
	if err := o.check(args[1:]); err != nil {
		return err
	}
	q, err := o.choice.query(args[:1])
	if err != nil {
		return err
	}
	targets, err := repair.ParseTargets(args[1:])
	if err != nil {
		return usage("", "%w", err)
	}
	o.op.Only = targets
	q.Topics = append(q.Topics, topicsOf(targets)...)
	return o.repairing.run(ctx, q, o.makeOp)
}

// check finds flags that make no sense.
func (o *replayOptions) check(ranges []string) error {
	var ways []string
	for flag, given := range map[string]bool{"--to-topic": o.op.ToTopic != "", "--to-stdout": o.op.ToStdout, "--exec": o.op.Exec != ""} {
		if given {
			ways = append(ways, flag)
		}
	}
	slices.Sort(ways)
	switch {
	case len(ways) == 0:
		return usage("such as --to-topic orders-retry, exactly once; --exec COMMAND and --to-stdout deliver at least once", "replay to where?")
	case len(ways) > 1:
		return usage("", "%s at once: want one", strings.Join(ways, " and "))
	case o.op.Repartition && o.op.ToTopic == "":
		return usage("", "--repartition is for --to-topic")
	case o.op.Together && o.op.ToTopic == "":
		return usage("", "--together is for --to-topic: nothing else is exactly once")
	case o.op.Together && o.op.Rejected:
		return usage("", "--together is not for --rejected, which one process does")
	case o.op.Rate < 0 || o.limit < 0 || o.maxReplays < 0:
		return usage("", "--rate, --limit and --max-replays want a number above 0")
	case o.fromDLQ != "" && len(ranges) > 0:
		return usage("", "--from-dlq names the records; %q is one too many", ranges[0])
	}
	_, err := o.keys.filter()
	return err
}

// makeOp finds out which records are meant.
func (o *replayOptions) makeOp(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) (repair.Op, error) {
	g := &s.Groups[0]
	op := o.op
	if o.fromDLQ != "" {
		originals, err := repair.DeadLetters(ctx, store, o.fromDLQ, g.Name)
		if err != nil {
			return nil, err
		}
		op.Only, op.Explicit = op.Within(g, originals), true
		if gone := repair.Gone(g, op.Only); gone > 0 {
			o.repairing.app.say(fmt.Sprintf("left out, as retention has removed the original: %s", inspect.Plural(gone, "record")))
		}
	}
	keys, err := o.keys.filter()
	if err != nil {
		return nil, err
	}
	choice := repair.Choice{Limit: o.limit, MaxReplays: o.maxReplays}
	choice.Query = inspect.RecordQuery{Keys: keys, AllPartitions: o.keys.all}
	if op.Rejected {
		choice.Query.States = []inspect.RecordState{inspect.RecordRejected}
	}
	if op.ByArrival {
		choice.Query.Order = gapstore.ByArrival
	}
	if choice.Given() && !(op.Explicit && len(op.Only) == 0) {
		for _, t := range op.Only {
			choice.Query.Only = append(choice.Query.Only, gapstore.Target(t))
		}
		chosen, err := choice.Choose(ctx, store, g)
		if err != nil {
			return nil, err
		}
		if chosen.Worn > 0 {
			o.repairing.app.say(fmt.Sprintf("left out, as replayed %s before: %s", inspect.Plural(o.maxReplays, "time"), inspect.Plural(chosen.Worn, "record")))
		}
		op.Only, op.Explicit = chosen.Only, true
	}
	return op, refused(op.CheckTarget(ctx, store, g))
}

// joins reports whether the plan may be carried out although g has members, as
// they are all processes that replay together.
func joins(plan repair.Plan, g *inspect.Group) bool {
	op, ok := plan.Op.(repair.Replay)
	if !ok || !op.Together {
		return false
	}
	var there []gapstore.Member
	for _, m := range g.Members {
		there = append(there, gapstore.Member(m))
	}
	return gapstore.Together(there)
}

// replayHeap is how far the heap may grow before garbage is collected: as a
// replay soon drops what it reads, it then collects seldom, in little memory.
const replayHeap = 144 << 20

// carryOutReplay applies the plan of a replay, which takes as long as it takes:
// it says how far it is, and an interrupt stops it after the batch under way.
func (a *app) carryOutReplay(ctx context.Context, applier repair.Applier, toStdout bool, plan repair.Plan, approval repair.Approval, print func(inspect.View) error) error {
	var total int64
	for _, c := range plan.Changes {
		total += c.Copies
	}
	defer a.boundMemory(replayHeap)()
	progress := a.newProgress(total)
	applier.Progress, applier.Notice = progress.report, a.sayNow
	applier.Streams = repair.Streams{Out: a.out, Err: a.err, Secrets: secretVariables()}
	result := applier.Apply(ctx, plan, approval)
	progress.end()
	if toStdout { // that is where the records are
		output := inspect.OutputTable
		if a.wantsJSON() {
			output = inspect.OutputJSON
		}
		print = func(v inspect.View) error { return inspect.Write(a.err, output, v, inspect.Style{}) }
	}
	return a.showResult(print, result)
}
