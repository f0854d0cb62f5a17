package cmd

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"github.com/gapctl/gapctl/internal/lab"
)

type labOptions struct {
	app     *app
	dataDir string
	port    int
	empty   bool
}

func (a *app) labCommand() *cobra.Command {
	o := &labOptions{app: a}
	cmd := &cobra.Command{
		Use:   "lab [-- COMMAND…]",
		Short: "run an embedded broker with sample groups",
		Long: `lab runs a broker within gapctl, on the loopback interface, with sample groups
in every format and every kind of trouble. It serves any Kafka client until it
is interrupted. Nothing in it is real, so everything may be tried.

With a command after --, it runs that one gapctl command against a fresh lab,
and exits as that does.`,
		Example: `  gapctl lab
  gapctl lab --data-dir /tmp/lab --port 9092
  gapctl lab -- describe billing`,
		Args:        o.checkArgs,
		Annotations: related("gapctl list, gapctl describe"),
		RunE:        a.running(o.run),
	}
	cmd.Flags().StringVar(&o.dataDir, "data-dir", "", "keep the broker's data in `DIR` between runs")
	cmd.Flags().IntVar(&o.port, "port", 0, "listen on `PORT` of 127.0.0.1; 0 takes any that is free")
	cmd.Flags().BoolVar(&o.empty, "empty", false, "make no sample groups")
	return cmd
}

func (o *labOptions) checkArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) > 0 && cmd.ArgsLenAtDash() != 0:
		return usage("gapctl lab -- COMMAND runs one command against a fresh lab", "%q stands before --", args[0])
	case len(args) > 0 && args[0] == "lab":
		return usage("", "a lab within a lab")
	case o.port < 0 || o.port > 65535:
		return usage("", "--port %d: want 0 to 65535", o.port)
	}
	return nil
}

func (o *labOptions) run(ctx context.Context, command []string) (err error) {
	l, err := lab.Start(ctx, lab.Options{DataDir: o.dataDir, Port: o.port, Empty: o.empty, Now: o.app.now()})
	if err != nil {
		return err
	}
	defer func() {
		if failed := l.Close(); err == nil && failed != nil {
			err = failed
		}
	}()
	if len(command) > 0 {
		return o.app.within(ctx, l.Addr(), command)
	}
	return o.serve(ctx, l.Addr())
}

// serve says how to connect, and waits for the signal that ends it.
func (o *labOptions) serve(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.app.out, "listening on %s:%s\n", host, port)
	if err != nil {
		return err
	}
	o.app.sayNow("in another shell: export GAPCTL_BOOTSTRAP_SERVER=" + addr)
	for _, s := range lab.Samples() {
		o.app.sayNow(fmt.Sprintf("  gapctl describe %-16s %s", s.Name, s.Summary))
	}
	o.app.sayNow("interrupt to stop")
	<-ctx.Done()
	return nil
}

// within runs a command whose cluster is the one at addr, whatever the
// configuration says.
func (a *app) within(ctx context.Context, addr string, command []string) error {
	inner := &app{args: command, in: a.in, out: a.out, terminal: a.terminal, err: a.err, now: a.now, color: a.color}
	inner.getenv = func(name string) string {
		switch {
		case name == "GAPCTL_BOOTSTRAP_SERVER":
			return addr
		case name == "GAPCTL_COMMAND_CONFIG", name == "GAPCTL_CONTEXT", setsProperty(name):
			return ""
		}
		return a.getenv(name)
	}
	a.args = command // errors are written as the command would write them
	err := inner.execute(ctx)
	a.notices = inner.notices
	if err != nil {
		return inner.judge(err)
	}
	return nil
}
