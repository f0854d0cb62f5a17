package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type mapOptions struct {
	app         *app
	connection  connection
	choice      choice
	output      string
	scale       string
	width       int
	full        bool
	ascii       bool
	skipRecords bool
}

// defaultWidth is how wide a picture is where there is no terminal.
const defaultWidth = 100

func (a *app) mapCommand() *cobra.Command {
	o := &mapOptions{app: a}
	cmd := &cobra.Command{
		Use:   "map GROUP…",
		Short: "draw what is done and what is stuck, partition by partition",
		Long: `map draws a group: one strip per partition, from left to right what is done,
what is outstanding, what is lost, phantom or rejected, and what is not read
yet. Where one column stands for many offsets, the height of the bar is the
share of them that is outstanding.

Each strip has a scale of its own, so that one sees where each partition is
stuck. What is done before the stable offset, and what is not read after the
max offset, is cut short where it would leave little room for what lies between;
the mark ╱ says so, and --full draws the whole log to scale. With --scale shared
a column stands for equally many offsets in all strips.`,
		Example: `  gapctl map billing
  gapctl map billing --topic orders/2 --full --width 160
  gapctl map billing -o svg > billing.svg`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: related("gapctl describe, gapctl watch, gapctl report"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "how to write the result: `FORMAT` is "+strings.Join(mapOutputs(), ", ")+" (default picture)")
	names := cobra.FixedCompletions(mapOutputs(), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("output", names) // it fails only for a flag that is not there
	cmd.Flags().IntVar(&o.width, "width", 0, "draw `COLUMNS` wide (default that of the terminal, or 100)")
	cmd.Flags().StringVar(&o.scale, "scale", string(inspect.MapScaleOwn), "own: each strip fills the width; shared: all have the same `SCALE`")
	cmd.Flags().BoolVar(&o.full, "full", false, "from the start of the log to its end, to scale")
	cmd.Flags().BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only, as where the locale has no UTF-8")
	cmd.Flags().BoolVar(&o.skipRecords, "skip-records", false, "read no records: phantoms are drawn as outstanding")
	o.choice.bind(cmd)
	o.connection.bind(cmd.Flags())
	return cmd
}

// mapOutputs are the ways to write a map.
func mapOutputs() []string { return []string{"picture", "svg", "html", "json", "yaml", "csv"} }

func (o *mapOptions) run(ctx context.Context, groups []string) error {
	draw, err := o.printer()
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	q.SkipAges = o.skipRecords
	s, gathered := o.app.gatherMore(ctx, &o.connection, q, o.phantoms)
	if gathered != nil && len(s.Groups) == 0 {
		return gathered
	}
	o.app.sayEmpty(&s, o.choice.given())
	if err := unlessUnread(draw(s)); err != nil {
		return err
	}
	if gathered != nil {
		return gathered
	}
	return verdict(&s, groups)
}

// phantoms looks for them. A map without them is better than none, unless nobody
// waits for it any more.
func (o *mapOptions) phantoms(ctx context.Context, store *gapstore.Store, s *inspect.Snapshot) error {
	if o.skipRecords {
		return nil
	}
	err := inspect.FindPhantoms(ctx, store, s)
	if err == nil || errors.Is(context.Cause(ctx), errInterrupted) {
		return err
	}
	s.Notices = append(s.Notices, fmt.Sprintf("phantoms are drawn as outstanding: %v", err))
	return nil
}

// printer makes what draws, so that a wrong flag is an error before anything is
// asked of the cluster.
func (o *mapOptions) printer() (func(inspect.Snapshot) error, error) {
	name := o.app.setting(o.output, "GAPCTL_OUTPUT", "picture")
	// GAPCTL_OUTPUT is for all commands: where that asks for tables, this is one.
	if o.output == "" && (name == string(inspect.OutputTable) || name == string(inspect.OutputWide)) {
		name = "picture"
	}
	if !slices.Contains(mapOutputs(), name) {
		return nil, usage("", "no output format %q: want one of %s", name, strings.Join(mapOutputs(), ", "))
	}
	style, err := o.app.style()
	if err != nil {
		return nil, err
	}
	view, err := o.view()
	if err != nil {
		return nil, err
	}
	return func(s inspect.Snapshot) error {
		switch name {
		case "picture":
			return inspect.WriteMap(o.app.out, s, view, inspect.MapStyle{Color: style.Color, ASCII: o.ascii || !o.app.speaksUTF8()})
		case "svg":
			return inspect.WriteMapSVG(o.app.out, s, view)
		case "html":
			return inspect.WriteMapHTML(o.app.out, s, view)
		}
		return inspect.Write(o.app.out, inspect.Output(name), inspect.NewMapView(s, view), style)
	}, nil
}

func (o *mapOptions) view() (inspect.MapOptions, error) {
	scale := inspect.MapScale(o.scale)
	if scale != inspect.MapScaleOwn && scale != inspect.MapScaleShared {
		return inspect.MapOptions{}, usage("", "--scale %q: want own or shared", o.scale)
	}
	if o.width < 0 || o.width > 10_000 {
		return inspect.MapOptions{}, usage("", "--width %d: want 1 to 10000", o.width)
	}
	width := o.width
	if width == 0 {
		width = o.app.width()
	}
	return inspect.MapOptions{Columns: width, Scale: scale, Full: o.full}, nil
}

// width is that of the terminal, or the default without one.
func (a *app) width() int {
	if screen := a.screen(); screen != nil {
		if width, _, err := term.GetSize(int(screen.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return defaultWidth
}

// screen is standard output where that is a terminal, otherwise nil.
func (a *app) screen() *os.File {
	if careful, ok := a.out.(*carefulWriter); ok && a.terminal {
		if f, ok := careful.w.(*os.File); ok {
			return f
		}
	}
	return nil
}

// speaksUTF8 reports whether the locale has characters beyond ASCII: the first
// of POSIX's variables that is set decides. Without any, as in a container, a
// terminal of today is taken to have them.
func (a *app) speaksUTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := a.getenv(name); value != "" {
			upper := strings.ToUpper(value)
			return strings.Contains(upper, "UTF-8") || strings.Contains(upper, "UTF8")
		}
	}
	return true
}
