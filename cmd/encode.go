package cmd

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

type encodeOptions struct {
	app              *app
	stable, max      int64
	gaps             string
	format, encoding string
	owner            inspect.Owner
	topicID          string
	batch            bool
	output           output
}

func (a *app) encodeCommand() *cobra.Command {
	o := &encodeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "encode --stable OFFSET --max OFFSET [--gaps RANGES] | --batch",
		Short: "write the metadata of a commit",
		Long: `encode writes a state as the metadata of a commit, without a cluster, and prints
it. The metadata only means the same when it is committed together with the
committed offset, which -o json and -o wide show: most formats write offsets
relative to it.

Gaps are given with both ends included: 3-5,9 is 3, 4, 5 and 9. Without
--encoding it picks the one that the format's own writer would choose. The
native format is written as records, with key and value in base64.

With --batch it reads one JSON object per line from standard input,
{"stable":…,"max":…,"gaps":[{"start":3,"end":6}],"id":…} with half-open ranges,
and answers each with one line, in order. The id comes back as it was.`,
		Example: `  gapctl encode --stable 3 --max 20 --gaps 3-5,9
  gapctl encode --stable 3 --max 20 --gaps 3-5,9 --format greyhound -o json
  gapctl encode --batch --format parallel-consumer < states.jsonl`,
		Args:        o.checkArgs,
		Annotations: related("gapctl decode, gapctl help formats, gapctl-formats(7)"),
		RunE:        a.running(o.run),
	}
	flags := cmd.Flags()
	flags.Int64Var(&o.stable, "stable", -1, "the stable `OFFSET`: all before it is committed")
	flags.Int64Var(&o.max, "max", -1, "the max `OFFSET`: one past the furthest committed")
	flags.StringVar(&o.gaps, "gaps", "", "what is not committed, as `RANGES`")
	flags.StringVar(&o.format, "format", defaultFormat, "write it as `FORMAT`")
	flags.StringVar(&o.encoding, "encoding", "", "in this `ENCODING` of the format")
	flags.StringVar(&o.owner.Group, "group", "group", "the `GROUP` of native records")
	flags.StringVar(&o.owner.Topic, "topic", "topic", "the `TOPIC` of native records")
	flags.StringVar(&o.topicID, "topic-id", "AAAAAAAAAAAAAAAAAAAAAA", "the topic's `ID` in native records, as Kafka prints it")
	flags.Int32Var(&o.owner.Partition, "partition", 0, "the `PARTITION` of native records")
	flags.BoolVar(&o.batch, "batch", false, "answer JSON lines from standard input")
	o.output.bind(cmd)
	return cmd
}

// defaultFormat is what encode writes when not told.
const defaultFormat = "parallel-consumer"

func (o *encodeOptions) checkArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0:
		return usage("offsets are given with --stable, --max and --gaps", "encode takes no arguments")
	case o.batch && o.output.name != "" && o.output.name != string(inspect.OutputJSON):
		return usage("", "--batch writes JSON lines and nothing else")
	case !o.batch && (o.stable < 0 || o.max < 0):
		return usage("such as --stable 3 --max 20 --gaps 3-5,9", "encode needs --stable and --max, which are never negative")
	}
	id, err := base64.RawURLEncoding.DecodeString(o.topicID)
	if err != nil || len(id) != len(o.owner.TopicID) {
		return usage("", "--topic-id %q: want 22 characters of base64, as Kafka prints topic IDs", o.topicID)
	}
	copy(o.owner.TopicID[:], id)
	return checkFormat(o.format)
}

func (o *encodeOptions) run(ctx context.Context, _ []string) error {
	if o.batch {
		return o.runBatch(ctx)
	}
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	gaps, err := codec.ParseRanges(o.gaps)
	if err != nil {
		return usage("", "--gaps: %w", err)
	}
	e := inspect.Encode(codec.State{Stable: o.stable, Max: o.max, Gaps: gaps}, o.format, o.encoding, o.owner)
	if e.Error != nil {
		return e.Error.Cause
	}
	for _, a := range e.Anomalies {
		o.app.say(a.Message)
	}
	return print(inspect.NewEncodeView(e))
}

// encodeQuestion is one line of a batch.
type encodeQuestion struct {
	ID       json.RawMessage `json:"id"`
	Stable   *int64          `json:"stable"`
	Max      *int64          `json:"max"`
	Gaps     codec.Ranges    `json:"gaps"`
	Format   string          `json:"format"`
	Encoding string          `json:"encoding"`
}

func (o *encodeOptions) runBatch(ctx context.Context) error {
	return o.app.batch(ctx, asker{
		ask: func(line []byte) (answer, bool) {
			e := o.answer(line)
			return e, e.Error == nil
		},
		refuse: func(err error) answer { return inspect.FailedEncoding(err) },
	})
}

func (o *encodeOptions) answer(line []byte) inspect.Encoding {
	q := encodeQuestion{Format: o.format, Encoding: o.encoding}
	err := json.Unmarshal(line, &q)
	if err == nil && (q.Stable == nil || q.Max == nil || *q.Stable < 0 || *q.Max < 0) {
		err = errors.New(`"stable" and "max" are needed, and never negative`)
	}
	var e inspect.Encoding
	if err != nil {
		e = inspect.FailedEncoding(badLine(err))
	} else {
		e = inspect.Encode(codec.State{Stable: *q.Stable, Max: *q.Max, Gaps: q.Gaps}, q.Format, q.Encoding, o.owner)
	}
	e.ID = q.ID
	return e
}
