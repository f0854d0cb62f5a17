package cmd

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gapctl/gapctl/inspect"
)

// completionTimeout is how long somebody who pressed Tab waits, at most.
const completionTimeout = 900 * time.Millisecond

// candidate is one value to complete, and what it is.
type candidate struct {
	value, about string
}

// completer finds the values that begin with prefix, or more: those that do not
// are left out later. Whatever goes wrong, it finds nothing.
type completer func(ctx context.Context, c *connection, prefix string) []candidate

// completers are what can be completed, by the word for it in usage lines.
func (a *app) completers() map[string]completer {
	return map[string]completer{
		"GROUP":                   a.completeGroups,
		"TOPIC":                   a.completeTopics,
		"TOPIC/PARTITION@OFFSETS": a.completePartitions,
		"CONTEXT":                 a.completeContexts,
		"ID":                      a.completeJournal,
		"FORMAT":                  completeFormats,
		"KEY=VALUE":               completeProperties,
		"WHEN": func(context.Context, *connection, string) []candidate {
			return []candidate{{"auto", ""}, {"always", ""}, {"never", ""}}
		},
	}
}

// isOpenEnded reports whether more is to be typed after what was completed.
func isOpenEnded(word string) bool { return strings.ContainsAny(word, "@=") }

// isFile reports whether the word stands for a file, which shells complete.
func isFile(word string) bool { return word == "FILE" || word == "PLAN" || word == "DIR" }

// addCompletions makes every command below cmd complete what its usage names.
// What completes a flag already stays.
func (a *app) addCompletions(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		a.addCompletions(child)
	}
	if len(cmd.ValidArgs) == 0 && cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return a.complete(cmd, argumentWord(cmd.Use, len(args)), args, prefix)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if word, _ := pflag.UnquoteUsage(f); f.Value.Type() != "bool" {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
				return a.complete(cmd, word, nil, prefix)
			})
		}
	})
}

// argumentWord is what the usage line calls argument number n, from 0; "" when
// it knows of none.
func argumentWord(use string, n int) string {
	for i, word := range strings.Fields(use)[1:] {
		if word == "|" || strings.HasPrefix(word, "-") {
			return ""
		}
		name := strings.Trim(word, "[]…")
		if i == n || strings.HasSuffix(strings.TrimRight(word, "]"), "…") {
			return name
		}
	}
	return ""
}

// complete finds the values of word that begin with prefix and are not among
// the arguments already.
func (a *app) complete(cmd *cobra.Command, word string, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if isFile(word) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if isOpenEnded(word) {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	find := a.completers()[word]
	if find == nil {
		return nil, directive
	}
	a.mute = true
	var values []string
	for _, c := range inTime(cmd.Context(), completionTimeout, func(ctx context.Context) []candidate {
		return find(ctx, connectionOf(cmd.Flags()), prefix)
	}) {
		if !strings.HasPrefix(c.value, prefix) || slices.Contains(args, c.value) || inspect.Clean(c.value) != c.value {
			continue
		}
		if about := inspect.Clean(c.about); about != "" {
			c.value += "\t" + about
		}
		values = append(values, c.value)
	}
	slices.Sort(values)
	return slices.Compact(values), directive
}

// inTime is what find finds, or nothing when that takes longer.
func inTime(ctx context.Context, limit time.Duration, find func(context.Context) []candidate) []candidate {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make(chan []candidate, 1)
	go func() { found <- find(ctx) }()
	select {
	case c := <-found:
		return c
	case <-ctx.Done():
		return nil
	}
}

// connectionOf is what the flags on the command line say about the connection;
// nil for a command that makes none.
func connectionOf(flags *pflag.FlagSet) *connection {
	if flags.Lookup("context") == nil {
		return nil
	}
	c := new(connection)
	c.bootstrap, _ = flags.GetString("bootstrap-server") // each is there, and of that type
	c.properties, _ = flags.GetStringArray("property")
	c.commandConfig, _ = flags.GetString("command-config")
	c.context, _ = flags.GetString("context")
	return c
}
