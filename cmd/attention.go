package cmd

import (
	"fmt"

	"github.com/gapctl/gapctl/inspect"
)

// counted is n and the word, in the plural with an s unless n is 1.
func counted[N int | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// alarms is how many findings there are of each level.
type alarms map[inspect.Level]int

// add counts the findings of g.
func (a alarms) add(g *inspect.Group) {
	for i := range g.Partitions {
		for _, f := range g.Partitions[i].Findings {
			a[f.Level]++
		}
	}
}

// attention is an error when a finding of s is a warning or worse.
func attention(s *inspect.Snapshot) error {
	a := alarms{}
	for i := range s.Groups {
		a.add(&s.Groups[i])
	}
	return a.attention()
}

// attention is an error when a finding was a warning or worse.
func (a alarms) attention() error {
	failed, warned := a[inspect.LevelError], a[inspect.LevelWarn]
	switch {
	case failed+warned == 0:
		return nil
	case failed == 0:
		return fail(exitFindings, "", "found %s", counted(warned, "warning"))
	case warned == 0:
		return fail(exitFindings, "", "found %s", counted(failed, "error"))
	}
	return fail(exitFindings, "", "found %s and %s", counted(failed, "error"), counted(warned, "warning"))
}
