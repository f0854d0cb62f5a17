package cmd

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "gapctl",
		Short: "see, explain and repair gap commits on Apache Kafka",
		Long: `gapctl shows gap commits on Apache Kafka: commits that acknowledge records one
by one, out of order, so that a partition has a stable offset (all before it is
committed), a max offset (one past the furthest committed) and gaps between.

It reads them wherever they are kept: Parallel Consumer, greyhound and
pyrallel-consumer hide them in the metadata of ordinary commits, and share
groups (KIP-932) in an internal topic of their own.`,
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
	root.AddCommand(
		a.listCommand(), a.describeCommand(), a.gapsCommand(), a.decodeCommand(), a.encodeCommand(),
		a.labCommand(), a.completionCommand(), a.versionCommand(),
	)
	root.SetHelpCommand(a.helpCommand(root))
	root.InitDefaultHelpCmd()
	return root
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

// seeAlso names, in a command's annotations, what to read next.
const seeAlso = "see-also"

func related(names string) map[string]string { return map[string]string{seeAlso: names} }
