package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gapctl/gapctl/inspect"
)

// World is what a run of the command can see and touch besides its arguments.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
}

// Process is the world of this process.
func Process() World {
	return World{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now}
}

// app is one run of the command.
type app struct {
	args     []string
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	terminal bool     // out is a terminal
	color    string   // the flag --color
	ran      bool     // a command has begun: errors from now on are not about usage
	mute     bool     // nothing is said to people, and nobody is asked
	notices  []string // what is to be said at the end
	// principal is who gapctl has said to the cluster that it is, in words; "" where
	// it has said nothing.
	principal string
	stored    *contextFile // once it was read
}

// errInterrupted is the cause of a context that a signal has cancelled.
var errInterrupted = errors.New("interrupted")

// signalEcho is how long one signal may take to come twice: timeout(1) sends it to
// the process and then to its group.
const signalEcho = 500 * time.Millisecond

// Main runs the command that args, without the program's name, ask for, and is
// the exit status.
func Main(args []string, w World) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer func() {
		if !errors.Is(context.Cause(ctx), errInterrupted) { // or its echo may be still to come
			signal.Stop(signals)
		}
	}()
	// Without this a write to a closed pipe, or beyond the limit of ulimit -f,
	// would kill the process on the spot, even between two writes to Kafka; with
	// it the write just fails.
	signal.Ignore(deadlyWrites()...)
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
			time.Sleep(signalEcho)
			signal.Stop(signals) // a second one ends the process at once, whatever keeps it
		case <-ctx.Done():
		}
	}()
	return run(ctx, args, w)
}

// run is Main under a context.
func run(ctx context.Context, args []string, w World) int {
	out := &carefulWriter{w: w.Out}
	a := &app{args: args, in: w.In, out: out, terminal: isTerminal(w.Out), err: w.Err, getenv: w.Getenv, now: w.Now}
	err := a.execute(ctx)
	if err == nil {
		err = out.err
	}
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) {
		err = errInterrupted
	}
	return a.finish(err)
}

func (a *app) execute(ctx context.Context) error {
	root := a.rootCommand()
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return root.ExecuteContext(ctx)
}

// errReaderGone is the class of a write to standard output that nobody reads
// any more, such as head when it has seen enough.
var errReaderGone = errors.New("nobody reads standard output any more")

// carefulWriter remembers that a write failed, for those who do not look:
// help on a full disk is a failure too.
type carefulWriter struct {
	w   io.Writer
	err error
}

func (c *carefulWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		err = errReaderGone // a broken connection to a broker is EPIPE too
	}
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// unlessUnread is err, but nil where a result was written that nobody reads any
// more: what the command has found out decides how the process ends, and not how
// soon head had enough.
func unlessUnread(err error) error {
	if errors.Is(err, errReaderGone) {
		return nil
	}
	return err
}

// runner is what a command does, with the arguments that are no flags.
type runner func(ctx context.Context, args []string) error

// running makes r what a command runs, and notes that it began: an error
// before that is about usage.
func (a *app) running(r runner) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.ran = true
		return r(cmd.Context(), args)
	}
}

// style is how views look on standard output.
func (a *app) style() (inspect.Style, error) {
	when := a.setting(a.color, "GAPCTL_COLOR", "auto")
	switch when {
	case "always":
		return inspect.Style{Color: true}, nil
	case "never":
		return inspect.Style{}, nil
	case "auto":
		return inspect.Style{Color: a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" && a.terminal}, nil
	}
	return inspect.Style{}, usage("", "--color %q: want auto, always or never", when)
}

// setting is the flag's value, or else that of the environment, or else the
// fallback.
func (a *app) setting(flag, variable, fallback string) string {
	if flag != "" {
		return flag
	}
	if value := a.getenv(variable); value != "" {
		return value
	}
	return fallback
}

// isTerminal reports whether stream, a reader or a writer, is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
