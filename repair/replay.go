package repair

import (
	"errors"
	"fmt"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

// Replay delivers outstanding records again, and closes their gaps. To a topic,
// the copies and the gaps' closing are one transaction per batch: whenever it
// is killed, and run again, each record is there once for read-committed
// readers. To standard output or a command it is at least once: the gap is
// closed after the delivery, and a kill between the two delivers again.
//
// On the way it closes the gaps that turn out to hold no record.
type Replay struct {
	// ToTopic, ToStdout and Exec, a shell command for each record: one of them.
	ToTopic  string `json:"to_topic,omitempty"`
	ToStdout bool   `json:"to_stdout,omitempty"`
	Exec     string `json:"exec,omitempty"`
	// Repartition sends copies where their keys belong in the other topic,
	// instead of to the partition of the same number.
	Repartition bool `json:"repartition,omitempty"`
	// Partitioner is how those keys choose: one of [inspect.Partitioners], ""
	// is Kafka's own.
	Partitioner string `json:"partitioner,omitempty"`
	// ByArrival merges the partitions by the records' timestamps.
	ByArrival bool `json:"by_arrival,omitempty"`
	// Rate is the most records per second; 0: no limit.
	Rate int64 `json:"rate,omitempty"`
	// Only names the offsets to replay; empty and not Explicit: all.
	Only     []Target `json:"only,omitempty"`
	Explicit bool     `json:"explicit,omitempty"`
	// Rejected replays what a share group has given up, instead of what is
	// outstanding.
	Rejected bool `json:"rejected,omitempty"`
	// Together is for several processes at once, which share the group's
	// partitions out among them: see [Applier.Apply].
	Together bool `json:"together,omitempty"`
}

// Name is "replay".
func (Replay) Name() string { return "replay" }

// Targets are the partitions that the op names by itself.
func (r Replay) Targets() []Target { return r.Only }

func (r Replay) check() error {
	ways := 0
	for _, given := range []bool{r.ToTopic != "", r.ToStdout, r.Exec != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("records go to a topic, to standard output or to a command: to one of them")
	case r.Together && r.ToTopic == "":
		return errors.New("several processes replay together to a topic only, as nothing else is exactly once")
	case r.Together && r.Rejected:
		return errors.New("what a share group has rejected is replayed by one process")
	}
	return nil
}

// chosen is the offsets of gaps that r asks for, whether the log has them or
// not.
func (r Replay) chosen(p Target, gaps codec.Ranges) codec.Ranges {
	if r.Explicit || len(r.Only) > 0 {
		return gaps.Intersect(rangesAt(r.Only, p))
	}
	return gaps
}

func (r Replay) propose(_ *inspect.Group, p *inspect.Partition) (proposal, error) {
	if r.Rejected {
		return proposal{}, errors.New("only share groups reject records")
	}
	if err := legible(p); err != nil {
		return proposal{}, err
	}
	before := current(p)
	inLog := codec.Range{Start: p.LogStart, End: p.LastStable}
	chosen := r.chosen(targetOf(p), before.Gaps).Clip(inLog)
	if chosen.Empty() {
		return keep(p), nil
	}
	after := stateOf(completed(before).Union(chosen))
	if p.Format == greyhound && after.Gaps.Len() > max(1, before.Gaps.Len()) {
		return proposal{}, errors.New("this would split the gap, and greyhound reads back no more than one")
	}
	c, err := encode(p, p.Format, after)
	if err != nil {
		return proposal{}, err
	}
	return proposal{after: c, why: r.why(chosen)}, nil
}

func (r Replay) why(chosen codec.Ranges) string {
	switch {
	case r.ToTopic != "":
		return fmt.Sprintf("copies %s to %s, exactly once, and closes the gaps with them", shown(chosen), r.ToTopic)
	case r.ToStdout:
		return fmt.Sprintf("writes %s to standard output, at least once, and closes the gaps then", shown(chosen))
	}
	return fmt.Sprintf("gives %s to the command, at least once, and closes the gap of each that it accepts", shown(chosen))
}

// shownRanges is how many ranges a sentence names.
const shownRanges = 8

// shown is ranges in a sentence, cut short.
func shown(ranges codec.Ranges) string {
	if ranges.Len() <= shownRanges {
		return ranges.String()
	}
	return fmt.Sprintf("%d offsets in %d ranges", ranges.Count(), ranges.Len())
}

// order is that of reading.
func (r Replay) order() gapstore.Order {
	if r.ByArrival {
		return gapstore.ByArrival
	}
	return gapstore.ByPartition
}
