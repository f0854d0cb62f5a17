//go:build linux

package soak

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// leaks samples processes that last.
type leaks struct {
	s       *soak
	mu      sync.Mutex
	watched map[string]*watched
}

// watched is one process.
type watched struct {
	pid   int
	stats string // a file with its goroutines and the bytes of its heap
	files []int64
	bytes []int64 // resident
}

// watch begins to sample a process, in place of an earlier one of the name.
func (l *leaks) watch(name string, pid int, stats string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched[name] = &watched{pid: pid, stats: stats}
}

func (l *leaks) sample(ctx context.Context) {
	for pause(ctx, time.Second) {
		l.mu.Lock()
		for _, w := range l.watched {
			files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", w.pid))
			if resident := residentBytes(w.pid); err == nil && resident > 0 {
				w.files, w.bytes = append(w.files, int64(len(files))), append(w.bytes, resident)
			}
		}
		l.mu.Unlock()
	}
}

func residentBytes(pid int) (kilobytes int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	if _, rest, found := strings.Cut(string(status), "VmRSS:"); found {
		_, _ = fmt.Sscan(rest, &kilobytes) // none: the process has ended
	}
	return kilobytes << 10
}

// judge compares the last third of each series with the third before it: what
// grows all the time has grown between them.
func (l *leaks) judge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, w := range l.watched {
		goroutines, heap := readStats(w.stats)
		l.compare(name, "file descriptors", w.files, 16)
		l.compare(name, "resident bytes", w.bytes, 32<<20)
		l.compare(name, "goroutines", goroutines, 40)
		l.compare(name, "bytes of heap in use", heap, 16<<20)
	}
}

func (l *leaks) compare(name, what string, series []int64, bound int64) {
	const least = 15 // samples
	if len(series) < least {
		if series != nil {
			l.s.t.Logf("%s: only %d samples of its %s", name, len(series), what)
		}
		return
	}
	third := len(series) / 3
	before, after := median(series[third:2*third]), median(series[2*third:])
	l.s.t.Logf("%s: %s: %d, then %d", name, what, before, after)
	if after > before+bound && after > before*3/2 {
		l.s.fail("leak", "%s: %s grew from %d to %d", name, what, before, after)
	}
}

func median(series []int64) int64 {
	sorted := slices.Sorted(slices.Values(series))
	return sorted[len(sorted)/2]
}

// readStats is what a consumer has written about itself.
func readStats(path string) (goroutines, heap []int64) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var g, h int64
		if _, err := fmt.Sscan(lines.Text(), &g, &h); err == nil {
			goroutines, heap = append(goroutines, g), append(heap, h)
		}
	}
	return goroutines, heap
}
