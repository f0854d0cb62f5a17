package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gapctl/gapctl/codec"
)

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "explain a command or a topic",
		Long:  "help explains a command, or one of the topics that concern them all:\n\n" + topicList(),
		Example: `  gapctl help describe
  gapctl help exit-codes
  gapctl help configuration`,
		Args:        cobra.MaximumNArgs(2),
		Annotations: related("gapctl-exit-codes(7), gapctl-formats(7)"),
	}
	for _, t := range topics() {
		cmd.ValidArgs = append(cmd.ValidArgs, t.name)
	}
	cmd.RunE = a.running(func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return root.Help()
		}
		for _, t := range topics() {
			if t.name == args[0] {
				t.write(a.out)
				return nil
			}
		}
		target, _, err := root.Find(args)
		if err != nil || target == root {
			return usage(helpHint(root, args[0]), "no command or topic %q", strings.Join(args, " "))
		}
		return target.Help()
	})
	return cmd
}

// helpHint proposes the command or the topic whose name is like that one.
func helpHint(root *cobra.Command, name string) string {
	like := root.SuggestionsFor(name)
	for _, t := range topics() {
		if strings.HasPrefix(t.name, strings.ToLower(name)) {
			like = append(like, t.name)
		}
	}
	if len(like) == 0 {
		return "gapctl help shows what there is"
	}
	return "did you mean gapctl help " + like[0] + "? gapctl help shows what there is"
}

// topic is something to read that is not a command.
type topic struct {
	name, short string
	write       func(io.Writer)
}

func topics() []topic {
	return []topic{
		{"configuration", "how to say which cluster, and who you are", writeConfigurationHelp},
		{"exit-codes", "what the exit status says", writeExitHelp},
		{"formats", "the formats of gap commits", writeFormatHelp},
		{"output", "how a result can be written: tables, JSON, templates, jq", writeOutputHelp},
	}
}

func topicList() string {
	var b strings.Builder
	table(&b, func(row func(...string)) {
		for _, t := range topics() {
			row("  "+t.name, t.short)
		}
	})
	return strings.TrimRight(b.String(), "\n")
}

// table writes rows in columns.
func table(w io.Writer, fill func(row func(...string))) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fill(func(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) })
	t.Flush()
}

func writeExitHelp(w io.Writer) {
	fmt.Fprintln(w, "The exit status says how it went. A script must take any code that it does not\nknow for a failure; codes are added, and never reused.")
	fmt.Fprintln(w)
	table(w, func(row func(...string)) {
		for _, e := range exits() {
			row(fmt.Sprintf("  %3d", e.code), e.name, e.meaning)
		}
	})
}

func writeFormatHelp(w io.Writer) {
	fmt.Fprintln(w, "Gap commits are kept in these formats. decode tells them apart by itself.")
	fmt.Fprintln(w)
	table(w, func(row func(...string)) {
		row("  FORMAT", "WHERE", "ENCODINGS", "WRITTEN BY")
		for _, f := range codec.Formats() {
			row("  "+f.Name, string(f.Carrier), strings.Join(encodingNames(f), " "), f.Writer)
		}
	})
}

func encodingNames(f codec.Format) []string {
	if f.Foreign {
		return []string{"(holds no gaps)"}
	}
	var names []string
	for _, e := range f.Encodings {
		names = append(names, e.Name)
	}
	return names
}

// configurationText is how settings come together, for the help and the manual.
const configurationText = `What a flag says wins over -X KEY=VALUE, that over the environment, that over
the file of --command-config, which is a .properties file such as Kafka's own
tools take, and that over the context (gapctl help context). The current context
is left out when something stronger names a cluster, so that no password goes to
another one; the context of --context is not.

Secrets are never taken from the command line. A property that is one can end in
.file or .command: sasl.password.file=FILE is the password in a file, and
sasl.password.command=COMMAND what a command of the shell prints. A password
that is missing is asked for, if there is a terminal.

Each property can be set by a variable of the environment: sasl.mechanism by
GAPCTL_SASL_MECHANISM, and so on.`

func writeConfigurationHelp(w io.Writer) {
	fmt.Fprintln(w, configurationText+"\n\nEnvironment:")
	table(w, func(row func(...string)) {
		for _, v := range variables() {
			row("  "+v.name, v.meaning)
		}
	})
	fmt.Fprintln(w, "\nProperties:")
	table(w, func(row func(...string)) {
		for _, p := range properties {
			meaning := p.meaning
			if len(p.aliases) > 0 {
				meaning += " (also " + strings.Join(p.aliases, ", ") + ")"
			}
			row("  "+p.name, meaning)
		}
	})
}

// printHelp writes the help of a command.
func (a *app) printHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", cmd.Long, useLine(cmd))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		table(w, func(row func(...string)) {
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					row("  "+c.Name(), c.Short)
				}
			}
		})
		if !cmd.HasParent() {
			fmt.Fprintf(w, "\nTopics:\n%s\n", topicList())
		}
	}
	fmt.Fprintf(w, "\nExamples:\n%s\n\nFlags:\n", cmd.Example)
	table(w, func(row func(...string)) {
		for _, f := range visibleFlags(cmd) {
			row("  "+flagName(f), flagUsage(f))
		}
	})
	if also := cmd.Annotations[seeAlso]; also != "" {
		fmt.Fprintf(w, "\nSee also: %s\n", also)
	}
}

func useLine(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "gapctl COMMAND [FLAGS]"
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use + " [FLAGS]"
}

// visibleFlags are the flags that cmd takes, sorted by name.
func visibleFlags(cmd *cobra.Command) []*pflag.Flag {
	cmd.InitDefaultHelpFlag()
	var flags []*pflag.Flag
	cmd.Flags().AddFlagSet(cmd.InheritedFlags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			f.Usage = "explain the command"
		}
		if !f.Hidden {
			flags = append(flags, f)
		}
	})
	return flags
}

// flagName is the flag as one types it: "-b, --bootstrap-server HOST:PORT,…".
func flagName(f *pflag.Flag) string {
	name := "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		name += " " + value
	}
	return name
}

func flagUsage(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	return text
}
