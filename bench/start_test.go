package bench

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// BenchmarkStart is what starting the process costs, and what answering from
// memory does, against a program that does nothing.
func BenchmarkStart(b *testing.B) {
	gapctl, bare := program(b, "github.com/gapctl/gapctl"), program(b, "./bareprogram")
	for _, c := range []struct {
		name string
		args []string
	}{
		{"version", []string{"version"}}, {"help", []string{"--help"}}, {"decode", []string{"decode", "--committed", "100", "bAACAw=="}},
		{"complete", []string{"__complete", "describe", "--out"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			contenders := []*contender{
				{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, c.args...) }},
				{name: "bare-program", command: func() *exec.Cmd { return exec.Command(bare) }},
			}
			inTurn(b, contenders...)
			report(b, contenders...)
		})
	}
	b.Run("imports", func(b *testing.B) { timeImports(b, gapctl) })
}

// timeImports tells what the packages do before main, as the runtime counts it,
// and which takes longest.
func timeImports(b *testing.B, gapctl string) {
	var least, most time.Duration
	var slowest string
	for b.Loop() {
		var trace bytes.Buffer
		cmd := exec.Command(gapctl, "version")
		cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		var sum, longest time.Duration
		name := ""
		for line := range strings.Lines(trace.String()) { // init NAME @0.5 ms, 0.02 ms clock, 64 bytes, 2 allocs
			fields := strings.Fields(line)
			if len(fields) < 6 || fields[0] != "init" {
				continue
			}
			took, err := time.ParseDuration(fields[4] + "ms")
			if err != nil {
				b.Fatalf("%q: %v", line, err)
			}
			if sum += took; took > longest {
				longest, name = took, fields[1]
			}
		}
		if least == 0 || sum < least {
			least, most, slowest = sum, longest, name
		}
	}
	if least == 0 {
		b.Fatal("the runtime has traced no package")
	}
	boardLine{what: "Start, what packages do before main", ours: shortTime(least), other: "most: " + slowest, theirs: shortTime(most)}.note()
	b.ReportMetric(float64(least.Microseconds()), "µs/imports")
	b.ReportMetric(0, "ns/op")
}
