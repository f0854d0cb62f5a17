package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
)

type contextAddOptions struct {
	app           *app
	bootstrap     string
	properties    []string
	commandConfig string
	from          string
	replace       bool
}

func (a *app) contextAddCommand() *cobra.Command {
	o := &contextAddOptions{app: a}
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "add a context",
		Long: `add puts a context into the file. The first one becomes the current one.

--command-config is remembered, not copied: its file may change. --from copies
the connection out of the configuration of another tool, secrets included:
kcat's kcat.conf, rpk's rpk.yaml, kafkactl's config.yml, or a .properties file.
Where that holds several, it is the one called NAME, or else the current one.

A secret is never taken from the command line. Name where it comes from:
-X sasl.password.command='pass show kafka' or -X sasl.password.file=FILE. With
neither, it is asked for on the terminal whenever it is needed.`,
		Example: `  gapctl context add prod -b broker1:9092 --command-config client.properties
  gapctl context add prod --from ~/.config/kcat.conf
  gapctl context add dev -b localhost:9092`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl context use, gapctl context test"),
		RunE:        a.running(o.run),
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.bootstrap, "bootstrap-server", "b", "", "brokers to ask first, as `HOST:PORT,…`")
	flags.StringVar(&o.bootstrap, "brokers", "", "as --bootstrap-server")
	_ = flags.MarkHidden("brokers")
	flags.StringArrayVarP(&o.properties, "property", "X", nil, "a property of the connection, as `KEY=VALUE`; may be given often")
	flags.StringVar(&o.commandConfig, "command-config", "", "a .properties `FILE` with more properties; what the context says wins")
	flags.StringVar(&o.from, "from", "", "copy the connection from a `FILE` of another tool")
	flags.BoolVar(&o.replace, "replace", false, "in place of a context of the same name")
	return cmd
}

func (o *contextAddOptions) run(_ context.Context, args []string) error {
	f, err := o.app.contexts()
	if err != nil {
		return err
	}
	c, err := o.stored(args[0])
	if err != nil {
		return err
	}
	if _, err := f.find(c.name); err == nil && !o.replace {
		return usage("--replace replaces it", "there is a context %q already", c.name)
	}
	f.add(c)
	first := len(f.contexts) == 0 // in the file as it was read
	if first {
		f.use(c.name)
	}
	if err := f.save(); err != nil {
		return err
	}
	if first {
		o.app.say(fmt.Sprintf("%s is the current context", c.name))
	}
	return nil
}

// stored is the context that the flags ask for. What is wrong with it is said
// now, and not when it is used.
func (o *contextAddOptions) stored(name string) (storedContext, error) {
	c := storedContext{name: name}
	if o.commandConfig != "" {
		path, err := filepath.Abs(o.commandConfig)
		if err != nil {
			return c, err
		}
		if err := o.app.readCommandConfig(settings{}, "--command-config", path); err != nil {
			return c, err
		}
		c.commandConfig = path
	}
	if o.from != "" {
		imported, err := o.app.importContext(o.from, name)
		if err != nil {
			return c, err
		}
		c.entries = imported
	}
	given := settings{}
	for _, pair := range o.properties {
		if err := given.setPair(pair); err != nil {
			return c, err
		}
	}
	if o.bootstrap != "" {
		given[propBootstrap] = o.bootstrap
	}
	c.entries = overEntries(c.entries, given)
	if c.commandConfig == "" && len(c.entries) == 0 {
		return c, usage("such as -b HOST:PORT", "a context says at least which cluster")
	}
	return c, nil
}

// overEntries is entries with what s says in place of theirs, in the order of
// the table of properties.
func overEntries(entries []entry, s settings) []entry {
	all := settings{}
	for _, e := range entries {
		all.put(e.key, e.value)
	}
	for name, value := range s {
		all.put(name, value)
	}
	var ordered []entry
	for _, p := range properties {
		for _, end := range []string{"", fromFile, fromCommand} {
			if value, ok := all[p.name+end]; ok {
				ordered = append(ordered, entry{key: p.name + end, value: value})
			}
		}
	}
	return ordered
}
