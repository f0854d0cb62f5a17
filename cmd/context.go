package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/inspect"
)

func (a *app) contextCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "context COMMAND",
		Short: "keep connections to clusters under names",
		Long: `context keeps connections under names: where a cluster is, and who one is
there. They are in the file $XDG_CONFIG_HOME/gapctl/config.yaml, or the one
that GAPCTL_CONFIG names, as properties of Kafka's clients:

    current: prod
    contexts:
      prod:
        bootstrap.servers: broker1:9092,broker2:9092
        security.protocol: SASL_SSL
        sasl.mechanism: SCRAM-SHA-512
        sasl.username: alice
        sasl.password.command: pass show kafka/prod
      old:
        command.config: /etc/kafka/client.properties

Every command uses the current context, or the one of --context. Flags, -X,
the environment and --command-config win over it. When one of them names a
cluster, the current context is left out, so that no password goes to another
cluster; with --context they add to each other.`,
		Example: `  gapctl context list
  gapctl context add prod -b broker1:9092 --command-config client.properties
  gapctl context use prod`,
		Args:        unknownSubcommand,
		Annotations: related("gapctl-configuration(7)"),
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.RunE = a.running(func(context.Context, []string) error { return cmd.Help() })
	cmd.AddCommand(a.contextListCommand(), a.contextUseCommand(), a.contextShowCommand(),
		a.contextAddCommand(), a.contextRemoveCommand(), a.contextTestCommand())
	return cmd
}

// unknownSubcommand refuses arguments that name no command of cmd.
func unknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "gapctl help " + cmd.Name() + " shows the commands"
	if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
		hint = fmt.Sprintf("did you mean %s %s?", cmd.CommandPath(), like[0])
	}
	return usage(hint, "no command %q of %s", args[0], cmd.CommandPath())
}

func (a *app) contextListCommand() *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the contexts",
		Long:  "list shows every context: which is current, where its cluster is, and who one is\nthere. Nothing is asked of a cluster.",
		Example: `  gapctl context list
  gapctl context list -o wide
  gapctl context list -o json`,
		Args:        cobra.NoArgs,
		Annotations: related("gapctl context use, gapctl context show"),
	}
	cmd.RunE = a.running(func(context.Context, []string) error {
		print, err := a.printer(o)
		if err != nil {
			return err
		}
		f, err := a.contexts()
		if err != nil {
			return err
		}
		v := contextListView{Head: inspect.Head{Kind: "contexts", SchemaVersion: inspect.SchemaVersion}, File: f.path, Contexts: []contextView{}}
		for _, c := range f.contexts {
			s, err := a.contextSettings(c.name)
			if err != nil {
				return err
			}
			v.Contexts = append(v.Contexts, newContextView(c.name, c.name == f.current, s))
		}
		if len(v.Contexts) == 0 {
			a.say("no contexts; gapctl context add NAME -b HOST:PORT adds one")
		}
		return print(v)
	})
	o.bind(cmd)
	return cmd
}

func (a *app) contextUseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "use CONTEXT",
		Short: "make a context the current one",
		Long:  "use makes a context the one that every command uses, unless it is told\notherwise.",
		Example: `  gapctl context use prod
  gapctl context use staging
  gapctl context use prod && gapctl context test`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl context list, gapctl context test"),
		RunE: a.running(func(_ context.Context, args []string) error {
			f, err := a.contexts()
			if err != nil {
				return err
			}
			if _, err := f.find(args[0]); err != nil {
				return err
			}
			f.use(args[0])
			return f.save()
		}),
	}
}

func (a *app) contextRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove CONTEXT",
		Short: "remove a context",
		Long:  "remove takes a context out of the file. Nothing happens to the cluster. Without\nthe current context, there is no current one.",
		Example: `  gapctl context remove old
  gapctl context remove staging
  gapctl context remove prod && gapctl context list`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl context list, gapctl context add"),
		RunE: a.running(func(_ context.Context, args []string) error {
			f, err := a.contexts()
			if err != nil {
				return err
			}
			if _, err := f.find(args[0]); err != nil {
				return err
			}
			f.remove(args[0])
			return f.save()
		}),
	}
}

func (a *app) contextShowCommand() *cobra.Command {
	var o output
	cmd := &cobra.Command{
		Use:   "show [CONTEXT]",
		Short: "show what a context says",
		Long:  "show prints the properties of a context, or of the current one, as they are\nused, with those of the file of its command.config. Of secrets it says only that\nthey are there.",
		Example: `  gapctl context show
  gapctl context show prod
  gapctl context show prod -o json`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: related("gapctl context list, gapctl context test"),
	}
	cmd.RunE = a.running(func(_ context.Context, args []string) error {
		print, err := a.printer(o)
		if err != nil {
			return err
		}
		name, err := a.contextNamed(args)
		if err != nil {
			return err
		}
		s, err := a.contextSettings(name)
		if err != nil {
			return err
		}
		return print(newContextShowView(name, s))
	})
	o.bind(cmd)
	return cmd
}

// contextNamed is the context of the arguments, or of the environment, or the
// current one.
func (a *app) contextNamed(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	if name := a.getenv("GAPCTL_CONTEXT"); name != "" {
		return name, nil
	}
	f, err := a.contexts()
	if err == nil && f.current == "" {
		err = usage("gapctl context list shows the contexts", "there is no current context")
	}
	if err != nil {
		return "", err
	}
	return f.current, nil
}
