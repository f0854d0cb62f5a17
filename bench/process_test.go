package bench

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// contender is one whole process that is timed.
type contender struct {
	name    string
	command func() *exec.Cmd
	// watch is for a command that goes on for ever, and is then killed: it returns
	// once the work is done, with the time that it took; nil for others.
	watch   func() time.Duration
	wall    []time.Duration
	peakKiB int64 // of the largest run
	bytes   int64 // standard output of the last run
}

// servedBefore is how often a broker has served gapctl when a measurement begins.
// Until its JVM has compiled what a request runs through, which one in service
// has, a fetch takes it four times as long, compiling aside.
const servedBefore = 100

// serve has the broker behind c serve it for a while.
func serve(b *testing.B, c *contender) {
	b.Helper()
	for range servedBefore {
		c.run(b)
	}
}

// inTurn runs all contenders, round by round, so that a machine whose speed drifts
// treats them alike; a first round is not counted. The order is another one each
// time: after a tool that has computed for seconds, a broker takes up to twice as
// long for whatever comes next.
func inTurn(b *testing.B, contenders ...*contender) {
	b.Helper()
	inTurnAfter(b, 0, contenders...)
}

// quiet is how long nothing happens before a command that somebody types: machine
// and broker have turned to other things by then, and each run takes longer.
const quiet = time.Second

// compare has the contenders in turn twice: on end, as in a loop, and alone, each
// after some quiet. The two differ much, and neither is what always happens.
func compare(b *testing.B, contenders ...*contender) {
	b.Run("on-end", func(b *testing.B) {
		inTurn(b, contenders...)
		report(b, contenders...)
	})
	b.Run("alone", func(b *testing.B) {
		inTurnAfter(b, quiet, contenders...)
		report(b, contenders...)
	})
}

func inTurnAfter(b *testing.B, pause time.Duration, contenders ...*contender) {
	b.Helper()
	for _, c := range contenders {
		c.run(b)
		c.wall = nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		for _, i := range random.Perm(len(contenders)) {
			time.Sleep(pause)
			contenders[i].run(b)
		}
	}
}

func (c *contender) run(b *testing.B) {
	b.Helper()
	cmd := c.command()
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if c.watch != nil {
		go io.Copy(io.Discard, out)
		c.wall = append(c.wall, c.watch())
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return
	}
	c.bytes, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		b.Fatalf("%s: %v\n%s", c.name, err, errors.String())
	}
	c.wall = append(c.wall, time.Since(start))
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peakKiB = max(c.peakKiB, usage.Maxrss)
	}
}

func (c *contender) median() time.Duration {
	sorted := slices.Sorted(slices.Values(c.wall))
	return sorted[len(sorted)/2]
}

// report prints one line per contender and the ratios of the first to each of
// the others.
func report(b *testing.B, contenders ...*contender) {
	b.Helper()
	first := contenders[0]
	text := fmt.Sprintf("%-28s %10s %10s %10s %10s %12s\n", b.Name(), "min", "median", "max", "peak MiB", "output KiB")
	for _, c := range contenders {
		text += fmt.Sprintf("%-28s %10v %10v %10v %10d %12d", c.name,
			slices.Min(c.wall).Round(time.Millisecond), c.median().Round(time.Millisecond),
			slices.Max(c.wall).Round(time.Millisecond), c.peakKiB>>10, c.bytes>>10)
		if c != first {
			ratio := float64(first.median()) / float64(c.median())
			text += fmt.Sprintf("   %s takes %.3f × of it", first.name, ratio)
			b.ReportMetric(ratio, "of-"+c.name)
			boardLine{strings.TrimPrefix(b.Name(), "Benchmark"), shortTime(first.median()),
				c.name, shortTime(c.median()), timesOf(ratio)}.note()
		}
		text += "\n"
	}
	if len(contenders) == 1 {
		boardLine{what: strings.TrimPrefix(b.Name(), "Benchmark"), ours: shortTime(first.median())}.note()
	}
	b.ReportMetric(float64(first.median().Milliseconds()), "ms/"+first.name)
	b.ReportMetric(0, "ns/op")
	fmt.Fprint(os.Stderr, "\n", text)
}

// program builds a main package of this module, as it is released, and returns its
// path.
func program(b *testing.B, pkg string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), filepath.Base(pkg))
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// peakOf runs the command, and is the most memory that it had, in KiB. The
// kernel's own account of a child (ru_maxrss) begins with the memory of the
// process that has started it, and so with all the records made here.
func peakOf(b *testing.B, cmd *exec.Cmd) int {
	b.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for peak := 0; ; {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) // it may have ended
		if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok && strings.HasPrefix(string(status), "Name:\tgapctl") {
			kib, err := strconv.Atoi(strings.Fields(after)[0])
			if err != nil {
				b.Fatal(err)
			}
			peak = max(peak, kib)
		}
		select {
		case err := <-ended:
			if err != nil || peak == 0 {
				b.Fatalf("%v, peak %d KiB\n%s", err, peak, output.String())
			}
			return peak
		case <-time.After(20 * time.Millisecond):
		}
	}
}
