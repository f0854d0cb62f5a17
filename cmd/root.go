package cmd

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "gapctl",
		Short: "see, explain and repair gap commits on Apache Kafka",
		Long: `gapctl shows gap commits on Apache Kafka: commits that acknowledge records one
by one, out of order, so that a partition has a stable offset (all before it is
committed), a max offset (one past the furthest committed) and gaps between.

It reads them wherever they are kept: Parallel Consumer, greyhound and
pyrallel-consumer hide them in the metadata of ordinary commits, share groups
(KIP-932) have an internal topic of their own, and so has gapctl's own format.

list shows which groups need a look, describe what is stuck in one, and check
why, each with the command that resolves it. A command that would change
something prints its plan, and writes only with --execute.`,
		Example: `  gapctl list -b localhost:9092
  gapctl describe billing
  gapctl lab -- list`,
		Args:          unknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.RunE = a.running(func(context.Context, []string) error { return root.Help() })
	root.PersistentFlags().StringVar(&a.color, "color", "", "colours: auto, always or never, as `WHEN` (default auto)")
	root.SuggestionsMinimumDistance = 2
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpFunc(a.printHelp)
	root.SetUsageFunc(func(*cobra.Command) error { return nil })
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(a.commands()...)
	root.SetHelpCommand(a.helpCommand(root))
	root.InitDefaultHelpCmd()
	a.addCompletions(root)
	explainArguments(root)
	return root
}

// maker is how a command is made, by its name.
type maker struct {
	name string
	make func() *cobra.Command
}

func (a *app) makers() []maker {
	return []maker{
		{"list", a.listCommand},
		{"describe", a.describeCommand},
		{"gaps", a.gapsCommand},
		{"map", a.mapCommand},
		{"diff", a.diffCommand},
		{"report", a.reportCommand},
		{"watch", a.watchCommand},
		{"check", a.checkCommand},
		{"history", a.historyCommand},
		{"records", a.recordsCommand},
		{"decode", a.decodeCommand},
		{"encode", a.encodeCommand},
		{"compact", a.compactCommand},
		{"reset", a.resetCommand},
		{"skip", a.skipCommand},
		{"replay", a.replayCommand},
		{"convert", a.convertCommand},
		{"apply", a.applyCommand},
		{"undo", a.undoCommand},
		{"lab", a.labCommand},
		{"context", a.contextCommand},
		{"completion", a.completionCommand},
		{"version", a.versionCommand},
	}
}

// commands are the one that is asked for, if the first argument names it, and
// otherwise all: to make them with their flags takes longer than what some do.
func (a *app) commands() (all []*cobra.Command) {
	for _, m := range a.makers() {
		if len(a.args) > 0 && a.args[0] == m.name {
			return []*cobra.Command{m.make()}
		}
	}
	for _, m := range a.makers() {
		all = append(all, m.make())
	}
	return all
}

// unknownCommand refuses arguments that name no command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "gapctl help shows the commands"
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		hint = "did you mean gapctl " + like[0] + "?"
	}
	return usage(hint, "no command %q", args[0])
}

// badFlag says what to do about a flag that cmd does not take, or a value that
// the flag does not.
func badFlag(cmd *cobra.Command, err error) error {
	help := "gapctl help" + strings.TrimPrefix(cmd.CommandPath(), "gapctl") + " shows its flags"
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage(help, "%w", err)
	}
	// Cobra finds names that are like another among commands.
	names := &cobra.Command{SuggestionsMinimumDistance: cmd.Root().SuggestionsMinimumDistance}
	for _, f := range visibleFlags(cmd) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	}
	if like := names.SuggestionsFor(unknown.GetSpecifiedName()); len(like) > 0 {
		help = "did you mean --" + like[0] + "? " + help
	}
	return usage(help, "%w", err)
}

// seeAlso names, in a command's annotations, what to read next.
const seeAlso = "see-also"

func related(names string) map[string]string { return map[string]string{seeAlso: names} }
