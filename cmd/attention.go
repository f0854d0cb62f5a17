package cmd

import "github.com/gapctl/gapctl/inspect"

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
		return fail(exitFindings, "", "found %s", inspect.Plural(warned, "warning"))
	case warned == 0:
		return fail(exitFindings, "", "found %s", inspect.Plural(failed, "error"))
	}
	return fail(exitFindings, "", "found %s and %s", inspect.Plural(failed, "error"), inspect.Plural(warned, "warning"))
}
