package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

type decodeOptions struct {
	app       *app
	committed int64
	format    string
	encoding  string
	batch     bool
	output    output
}

func (a *app) decodeCommand() *cobra.Command {
	o := &decodeOptions{app: a}
	cmd := &cobra.Command{
		Use:   "decode METADATA… | --batch",
		Short: "tell what the metadata of a commit says",
		Long: `decode tells what the metadata of a commit says, in any format, without a
cluster. The format is recognised from the text itself.

Most formats write offsets relative to the committed one, so give that with
--committed. Text shows gaps with both ends included (3-5 is 3, 4 and 5); JSON
has half-open ranges ({"start":3,"end":6}).

With --batch it reads one JSON object per line from standard input, and answers
each with one line, in order: {"metadata":…,"committed":…,"id":…}, or a record
of an internal topic as {"key":…,"value":…,"topic":…} with key and value in
base64. The id comes back as it was.`,
		Example: `  gapctl decode --committed 100 bgAIAH4=
  gapctl decode -o json --committed 8 'H4sIAAAAAAAA/7NQNog3UDGJN1ExizcDAAMbowYNAAAA'
  gapctl decode --batch < commits.jsonl`,
		Args:        o.checkArgs,
		Annotations: related("gapctl encode, gapctl help formats, gapctl-formats(7)"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().Int64Var(&o.committed, "committed", 0, "the committed offset that the metadata came with, as `OFFSET`")
	cmd.Flags().StringVar(&o.format, "format", "", "read it as `FORMAT`, whatever it looks like")
	cmd.Flags().StringVar(&o.encoding, "encoding", "", "and as this `ENCODING` of --format")
	cmd.Flags().BoolVar(&o.batch, "batch", false, "answer JSON lines from standard input")
	o.output.bind(cmd)
	return cmd
}

func (o *decodeOptions) checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case o.batch && len(args) > 0:
		return usage("", "--batch reads standard input and takes no arguments")
	case o.batch && o.output.name != "" && o.output.name != string(inspect.OutputJSON):
		return usage("", "--batch writes JSON lines and nothing else")
	case !o.batch && len(args) == 0:
		return usage("gapctl help decode has examples", "no metadata to decode")
	case o.encoding != "" && o.format == "":
		return usage("", "--encoding needs --format")
	case o.committed < 0:
		return usage("", "--committed %d: an offset is never negative", o.committed)
	}
	return checkFormat(o.format)
}

// checkFormat refuses a name that no format has; "" is fine.
func checkFormat(name string) error {
	if _, known := codec.Lookup(name); !known && name != "" {
		return usage("gapctl help formats shows them", "no format %q", name)
	}
	return nil
}

func (o *decodeOptions) run(ctx context.Context, args []string) error {
	if o.batch {
		return o.runBatch(ctx)
	}
	print, err := o.app.printer(o.output)
	if err != nil {
		return err
	}
	results := make([]inspect.Decoding, len(args))
	for i, metadata := range args {
		results[i] = inspect.Decode(metadata, o.committed, o.format, o.encoding)
	}
	if err := print(inspect.NewDecodeView(results)); err != nil {
		return err
	}
	return o.verdict(results)
}

// verdict is an error when something could not be decoded.
func (o *decodeOptions) verdict(results []inspect.Decoding) error {
	bad := 0
	var first *inspect.ErrorView
	for _, r := range results {
		if r.Error != nil {
			if bad++; first == nil {
				first = r.Error
			}
		}
	}
	switch {
	case bad == 0:
		return nil
	case len(results) == 1:
		return fail(exitCorrupt, "", "%w", first.Cause)
	}
	return fail(exitCorrupt, "", "%d of %d texts can not be decoded: %w", bad, len(results), first.Cause)
}

// decodeQuestion is one line of a batch.
type decodeQuestion struct {
	ID        json.RawMessage `json:"id"`
	Metadata  *string         `json:"metadata"`
	Committed int64           `json:"committed"`
	Format    string          `json:"format"`
	Encoding  string          `json:"encoding"`
	Topic     string          `json:"topic"`
	Key       []byte          `json:"key"`
	Value     []byte          `json:"value"`
}

func (o *decodeOptions) runBatch(ctx context.Context) error {
	var records inspect.RecordDecoder
	return o.app.batch(ctx, asker{
		ask: func(line []byte) (answer, bool) {
			d := o.answer(line, &records)
			return d, d.Error == nil
		},
		refuse: func(err error) answer { return inspect.FailedDecoding(err) },
	})
}

func (o *decodeOptions) answer(line []byte, records *inspect.RecordDecoder) inspect.Decoding {
	q := decodeQuestion{Committed: o.committed, Format: o.format, Encoding: o.encoding}
	err := json.Unmarshal(line, &q)
	var d inspect.Decoding
	switch {
	case err != nil:
		d = inspect.FailedDecoding(badLine(err))
	case q.Key != nil:
		d = records.Decode(q.Topic, q.Key, q.Value)
	case q.Metadata != nil:
		d = inspect.Decode(*q.Metadata, q.Committed, q.Format, q.Encoding)
	default:
		d = inspect.FailedDecoding(badLine(errors.New(`neither "metadata" nor "key"`)))
	}
	d.ID = q.ID
	return d
}

// badLine is a line that asks nothing that could be answered.
func badLine(err error) error {
	e := &codec.Error{Class: codec.ErrCorrupt, Position: -1, Reason: fmt.Sprintf("not a line of a batch: %v", err)}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		e.Position = int(syntax.Offset)
	}
	return e
}
