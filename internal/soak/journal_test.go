//go:build linux

package soak

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

// processing is one time that a record was processed: when, and since when its
// process ran.
type processing struct{ begun, at time.Duration }

// journal is the file in which the consumers of a group write what they process.
func (s *soak) journal(group string) string { return s.path("journal-" + group) }

// readJournal is what the consumers of a group have written down.
func (s *soak) readJournal(group string) map[place]map[int64][]processing {
	s.t.Helper()
	all := map[place]map[int64][]processing{}
	file, err := os.Open(s.journal(group))
	if err != nil {
		s.fail("journal", "%v", err)
		return all
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var p int32
		var offset int64
		var one processing
		if _, err := fmt.Sscan(lines.Text(), &p, &offset, (*int64)(&one.begun), (*int64)(&one.at)); err != nil {
			s.fail("journal", "%q: %v", lines.Text(), err)
			return all
		}
		add(all, place{group, p}, offset, one)
	}
	return all
}

func add(all map[place]map[int64][]processing, at place, offset int64, one processing) {
	if all[at] == nil {
		all[at] = map[int64][]processing{}
	}
	all[at][offset] = append(all[at][offset], one)
}

// processed is what all runs of Parallel Consumer have processed. It says no
// times: what was committed before a run began must not come in it.
func (c *cycle) processed() map[place]map[int64][]processing {
	all := map[place]map[int64][]processing{}
	for _, run := range c.runs {
		for at, of := range run.processed {
			for _, offset := range of {
				add(all, place{c.group, at.Partition}, offset, processing{begun: run.begun})
			}
		}
	}
	return all
}
