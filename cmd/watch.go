package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

type watchOptions struct {
	app        *app
	connection connection
	choice     choice
	interval   string
	count      int
	ascii      bool
}

func (a *app) watchCommand() *cobra.Command {
	o := &watchOptions{app: a}
	cmd := &cobra.Command{
		Use:   "watch GROUP",
		Short: "watch a group: the map, the rates, and what does not move",
		Long: `watch shows the map of a group live, with what is committed and what is written
per second, how long it takes at these rates until nothing is left, and since
when gaps have not moved. Keys: up and down choose a partition, enter opens its
gaps, and there the first records of a gap, with their values after v; esc goes
back; / filters by topic, f draws whole logs, s draws them to one scale, q ends.

Without a terminal it prints one line per interval, for a log or a pipe.`,
		Example: `  gapctl watch billing
  gapctl watch billing --topic orders/2 --interval 500ms
  gapctl watch billing --interval 1m --count 60 >> billing.log`,
		Args:        cobra.ExactArgs(1),
		Annotations: related("gapctl map, gapctl describe, gapctl diff"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().StringVar(&o.interval, "interval", "1s", "look again after `DURATION`")
	cmd.Flags().IntVar(&o.count, "count", 0, "end after looking `N` times; 0: never")
	cmd.Flags().BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only, as where the locale has no UTF-8")
	o.choice.bind(cmd)
	o.connection.bind(cmd.Flags())
	return cmd
}

func (o *watchOptions) run(ctx context.Context, groups []string) error {
	interval, err := parseDuration(o.interval)
	if err != nil {
		return usage("", "--interval: %w", err)
	}
	if o.count < 0 {
		return usage("", "--count %d: want 0 or more", o.count)
	}
	style, err := o.app.style()
	if err != nil {
		return err
	}
	q, err := o.choice.query(groups)
	if err != nil {
		return err
	}
	store, s, gathered := o.app.gatherOpen(ctx, &o.connection, q, nil)
	if store != nil {
		defer store.Close()
	}
	if gathered != nil {
		return gathered
	}
	if len(s.Groups) != 1 {
		return usage("", "%s is %d groups; watch shows one", groups[0], len(s.Groups))
	}
	w := &watcher{options: o, store: store, query: q, interval: interval}
	w.add(s)
	if screen := o.app.screen(); screen != nil {
		return w.show(ctx, screen, inspect.MapStyle{Color: style.Color, ASCII: o.ascii || !o.app.speaksUTF8()})
	}
	return w.print(ctx)
}

// watcher looks again and again.
type watcher struct {
	options  *watchOptions
	store    *gapstore.Store
	query    inspect.Query
	interval time.Duration

	last  inspect.Snapshot
	trend inspect.Trend
	looks int
}

// agesEvery is how many looks lie between two that read the ages of gaps anew.
// Those of gaps that have not moved are known between.
const agesEvery = 10

// look gathers the group as it is now. It changes nothing, so that it may run
// while the screen is drawn.
func (w *watcher) look(ctx context.Context, looks int) (inspect.Snapshot, error) {
	ctx, cancel, err := w.options.app.limited(ctx, &w.options.connection)
	if err != nil {
		return inspect.Snapshot{}, err
	}
	defer cancel()
	q := w.query
	q.AtOnce = true
	q.SkipAges = looks%agesEvery != 0
	s, err := gatherFrom(ctx, w.store, q)
	if err != nil {
		return s, err
	}
	if len(s.Groups) == 1 && s.Groups[0].Err != nil {
		return s, s.Groups[0].Err
	}
	if len(s.Groups) != 1 {
		return s, errors.New("the group is gone")
	}
	s.TakenAt = w.options.app.now()
	return s, nil
}

func (w *watcher) add(s inspect.Snapshot) {
	w.trend.Add(&s)
	w.last = s
	w.looks++
}

// done reports whether it has looked as often as asked.
func (w *watcher) done() bool { return w.options.count > 0 && w.looks >= w.options.count }

// print writes one line per look, until it has looked often enough, or ctx ends.
// A look that fails is said, and the next one is tried.
func (w *watcher) print(ctx context.Context) error {
	ticker := time.NewTicker(w.interval)
	defer ticker.Stop()
	for {
		if _, err := fmt.Fprintln(w.options.app.out, w.line()); err != nil {
			return err
		}
		for failed := true; failed; {
			if w.done() {
				return nil
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-ticker.C:
			}
			s, err := w.look(ctx, w.looks)
			if failed = err != nil; !failed {
				w.add(s)
			} else if ctx.Err() == nil {
				w.options.app.sayNow(err.Error())
			}
		}
	}
}
