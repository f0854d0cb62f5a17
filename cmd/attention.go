package cmd

import (
	"fmt"

	"github.com/gapctl/gapctl/inspect"
)

func counted[N int | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// attention is an error when a finding of s is a warning or worse.
func attention(s *inspect.Snapshot) error {
	levels := map[inspect.Level]int{}
	for i := range s.Groups {
		for k := range s.Groups[i].Partitions {
			for _, f := range s.Groups[i].Partitions[k].Findings {
				levels[f.Level]++
			}
		}
	}
	failed, warned := levels[inspect.LevelError], levels[inspect.LevelWarn]
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
