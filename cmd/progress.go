package cmd

import (
	"fmt"
	"strings"
	"time"
)

// progress says on standard error how far something is: on a terminal as a
// bar that stays in place, otherwise as a line every few seconds.
type progress struct {
	app      *app
	total    int64
	terminal bool
	begun    time.Time
	last     time.Time
	shown    bool
}

const (
	progressEvery = 5 * time.Second        // between lines
	barEvery      = 100 * time.Millisecond // between pictures of the bar
	barWidth      = 30
)

func (a *app) newProgress(total int64) *progress {
	now := time.Now()
	return &progress{app: a, total: total, terminal: a.watched(), begun: now, last: now}
}

// watched reports whether a person sees standard error while something goes on.
func (a *app) watched() bool { return isTerminal(a.err) && !a.wantsJSON() }

// report shows that done of the total are done.
func (p *progress) report(done int64) {
	now := time.Now()
	rate := float64(done) / max(now.Sub(p.begun).Seconds(), 0.001)
	every := progressEvery
	if p.terminal {
		every = barEvery
	}
	if now.Sub(p.last) < every && !(p.terminal && done >= p.total) {
		return
	}
	p.last = now
	if !p.terminal {
		p.app.sayNow(fmt.Sprintf("%d of %d records, %.0f per second", done, p.total, rate))
		return
	}
	p.shown = true
	filled := barWidth
	if p.total > 0 {
		filled = int(min(done, p.total) * barWidth / p.total)
	}
	fmt.Fprintf(p.app.err, "\r[%s%s] %d of %d records, %.0f per second ",
		strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled), done, p.total, rate)
}

// end leaves the bar's line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprintln(p.app.err)
	}
}
