package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// defaultTimeout is how long a command may take in all.
const defaultTimeout = 15 * time.Second

// connection is the flags of every command that talks to a cluster.
type connection struct {
	bootstrap     string
	properties    []string
	commandConfig string
	context       string
	timeout       string

	dialed gapstore.Dial // once it was made
}

func (c *connection) bind(flags *pflag.FlagSet) {
	flags.StringVarP(&c.bootstrap, "bootstrap-server", "b", "", "brokers to ask first, as `HOST:PORT,…`")
	flags.StringVar(&c.bootstrap, "brokers", "", "as --bootstrap-server")
	_ = flags.MarkHidden("brokers")
	flags.StringArrayVarP(&c.properties, "property", "X", nil, "a property of the connection, as `KEY=VALUE`; may be given often")
	flags.StringVar(&c.commandConfig, "command-config", "", "a .properties `FILE` with properties of the connection")
	flags.StringVar(&c.context, "context", "", "use this `CONTEXT` in place of the current one")
	flags.StringVar(&c.timeout, "timeout", "", "give up after `DURATION`, such as 30s or PT30S (default "+defaultTimeout.String()+")")
}

// limited is ctx, cancelled once the command has taken as long as it may.
func (a *app) limited(ctx context.Context, c *connection) (context.Context, context.CancelFunc, error) {
	limit, err := parseDuration(a.setting(c.timeout, "GAPCTL_TIMEOUT", defaultTimeout.String()))
	if err != nil {
		return nil, nil, usage("", "--timeout: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, &gapstore.Error{
		Class: gapstore.ErrUnavailable, Op: fmt.Sprintf("no answer within %s", limit), Hint: "a longer --timeout gives the cluster more time",
	})
	return ctx, cancel, nil
}

// output is the flag that says how a result is written.
type output struct {
	name string
}

func (o *output) bind(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.name, "output", "o", "", "how to write the result: `FORMAT` is "+strings.Join(inspect.Outputs(), ", ")+", template=TEXT or jq=EXPR (default table)")
	names := cobra.FixedCompletions(inspect.Outputs(), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("output", names) // it fails only for a flag that is not there
}

// printer makes what writes the result. It is made before anything is asked of
// the cluster, so that a wrong flag is an error at once.
func (a *app) printer(o output) (func(inspect.View) error, error) {
	format, err := inspect.ParseOutput(a.setting(o.name, "GAPCTL_OUTPUT", string(inspect.OutputTable)))
	if err != nil {
		return nil, usage("", "%w", err)
	}
	style, err := a.style()
	if err != nil {
		return nil, err
	}
	return func(v inspect.View) error { return unlessUnread(inspect.Write(a.out, format, v, style)) }, nil
}

// choice is the flags that choose partitions.
type choice struct {
	topics, formats []string
}

func (c *choice) bind(cmd *cobra.Command) {
	bindTopics(cmd, &c.topics)
	cmd.Flags().StringArrayVar(&c.formats, "format", nil, "only partitions with gaps in this `FORMAT`; may be given often")
	completeWithFormats(cmd, "format", func(codec.Format) bool { return true })
}

// bindTopics adds the flag that chooses topics.
func bindTopics(cmd *cobra.Command, topics *[]string) {
	cmd.Flags().StringArrayVar(topics, "topic", nil, "only this `TOPIC`, or some partitions of it: orders, orders/0,2; may be given often")
}

// completeWithFormats completes a flag with the names of the formats that fit.
func completeWithFormats(cmd *cobra.Command, flag string, fits func(codec.Format) bool) {
	var names []string
	for _, f := range codec.Formats() {
		if fits(f) {
			names = append(names, f.Name)
		}
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

func (c *choice) given() bool { return len(c.topics)+len(c.formats) > 0 }

func (c *choice) query(groups []string) (inspect.Query, error) {
	topics, err := inspect.ParseTopics(c.topics)
	if err != nil {
		return inspect.Query{}, usage("", "--topic: %w", err)
	}
	for _, name := range c.formats {
		if err := checkFormat(name); err != nil {
			return inspect.Query{}, err
		}
	}
	return inspect.Query{Groups: groups, Topics: topics, Formats: c.formats}, nil
}

// everyGroup is the flag that stands for the names of all groups.
type everyGroup struct {
	all bool
}

func (e *everyGroup) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.all, "all", false, "every group")
}

// checkArgs wants names of groups, or --all.
func (e *everyGroup) checkArgs(cmd *cobra.Command, args []string) error {
	if !e.all && len(args) == 0 {
		return usage("gapctl list shows the groups; --all takes them all", "no group is named")
	}
	return e.checkNames(cmd, args)
}

// checkNames wants no names beside --all.
func (e *everyGroup) checkNames(_ *cobra.Command, args []string) error {
	if e.all && len(args) > 0 {
		return usage("", "--all is every group; it takes no names")
	}
	return nil
}
