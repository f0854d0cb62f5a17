package cmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

func (a *app) completionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print the script that completes gapctl's commands in a shell",
		Long: `completion prints a script for the shell. Loaded by the shell, it completes
commands, flags and their values when Tab is pressed.`,
		Example: `  gapctl completion bash > /etc/bash_completion.d/gapctl
  gapctl completion zsh > "${fpath[1]}/_gapctl"
  gapctl completion fish > ~/.config/fish/completions/gapctl.fish`,
		Args:        cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:   []string{"bash", "zsh", "fish", "powershell"},
		Annotations: related("gapctl help"),
	}
	cmd.RunE = a.running(func(_ context.Context, args []string) error {
		return writeCompletion(a.out, cmd.Root(), args[0])
	})
	return cmd
}

func writeCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return root.GenPowerShellCompletionWithDesc(w)
}
