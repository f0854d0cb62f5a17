package repair

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/inspect"
)

// warn says of the plan what nobody may expect.
func (p *Plan) warn(g *inspect.Group) {
	note := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	var made, deleted int64
	for _, c := range p.Changes {
		if c.Before.none() {
			made++
		}
		if c.After.none() {
			deleted++
		}
	}
	if made > 0 {
		note("%s: nothing was committed there", plural(made, "commit is new", "commits are new"))
	}
	if deleted > 0 {
		note("%s: consumers then begin where their own setting says (auto.offset.reset, share.auto.offset.reset)", plural(deleted, "partition is left without a commit", "partitions are left without a commit"))
	}
	if reset, ok := p.Op.(Reset); ok {
		reset.warnDone(g, note)
	}
	if p.Empty() {
		return
	}
	p.warnReaders(note)
	switch op := p.Op.(type) {
	case ShareSkip:
		note("%s", skipsForGood)
	case ShareReset:
		op.warn(g, note)
	case Replay:
		if reads(g, op.ToTopic) {
			note("the group itself reads %s: its consumers get the copies as further records there", op.ToTopic)
		}
	case ShareReplay:
		if reads(g, op.ToTopic) {
			note("the group itself reads %s: its consumers get the copies as further records there", op.ToTopic)
		}
	case Undo:
		if done, ok := op.Done.Op.(Replay); ok {
			note("%s stays as it is: whoever gets these records again gets them twice", done.destination())
		}
	case ShareUndo:
		note("only the start offset goes back: the broker has forgotten which records were accepted, rejected or delivered, and how often")
	}
}

// skipsForGood is why nothing undoes a [ShareSkip].
const skipsForGood = "it can not be undone: the broker takes no acknowledgement back"

// warn says what is lost with the state that the broker wipes.
func (r ShareReset) warn(g *inspect.Group, note func(string, ...any)) {
	unseen := 0
	for i := range g.Partitions {
		if p := &g.Partitions[i]; p.StartOnly() && p.Committed >= 0 {
			unseen++
		}
	}
	if unseen > 0 {
		note("what is wiped can not be seen in %s, and SKIPS and REPROCESSES do not count it: this needs READ on topic %s, or CLUSTER_ACTION on the cluster",
			plural(int64(unseen), "partition", "partitions"), inspect.TopicShareGroupState)
	}
	note("gapctl undo sets the start offset back, and no more: the delivery state that is wiped is lost for good")
}

// warnDone says which of the records are done already, which explains a plan
// that changes nothing.
func (r Reset) warnDone(g *inspect.Group, note func(string, ...any)) {
	for i := range g.Partitions {
		p := &g.Partitions[i]
		at := targetOf(p)
		wanted := rangesAt(r.Done, at)
		if wanted.Empty() || legible(p) != nil {
			continue
		}
		if done := wanted.Intersect(completed(current(p))); !done.Empty() {
			note("%s@%s: done already", at, shown(done))
		}
	}
}

// warnReaders says which consumers can not read what the plan writes, and what
// becomes of the records when they try.
func (p *Plan) warnReaders(note func(string, ...any)) {
	type way struct{ from, to string }
	type harm struct{ again, lost int64 }
	harms := map[way]harm{}
	for _, c := range p.Changes {
		if c.Before.Format == c.After.Format || c.Before.Format == "" || c.After.Format == "" {
			continue
		}
		h := harms[way{c.Before.Format, c.After.Format}]
		h.again += c.After.completed().Sub(below(c.After.Offset)).Count()
		h.lost += c.After.State.Gaps.Intersect(below(c.After.Offset)).Count()
		harms[way{c.Before.Format, c.After.Format}] = h
	}
	ways := slices.SortedFunc(maps.Keys(harms), func(a, b way) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, w := range ways {
		h := harms[w]
		then := []string{"begin at the committed offset"}
		if h.again > 0 {
			then = append(then, fmt.Sprintf("process up to %s again", plural(h.again, "finished record", "finished records")))
		}
		if h.lost > 0 {
			then = append(then, fmt.Sprintf("never process %s", plural(h.lost, "outstanding record", "outstanding records")))
		}
		note("consumers that read %s do not read %s: stop them for good, and start ones that do; the old ones would %s, and overwrite what is written",
			readerOf(w.from), w.to, strings.Join(then, ", "))
	}
}

// readerOf is a format and the software that uses it, without its versions.
func readerOf(name string) string {
	if format, ok := codec.Lookup(name); ok && format.Writer != "" {
		writer, _, _ := strings.Cut(format.Writer, " (")
		return fmt.Sprintf("%s (%s)", name, writer)
	}
	return name
}

// reads reports whether the group has commits in the topic.
func reads(g *inspect.Group, topic string) bool {
	return slices.ContainsFunc(g.Partitions, func(p inspect.Partition) bool { return p.Topic == topic && p.Committed >= 0 })
}

// destination is where the records go, in words.
func (r Replay) destination() string {
	switch {
	case r.ToTopic != "":
		return "what was copied to " + r.ToTopic
	case r.ToStdout:
		return "what was written to standard output"
	}
	return "what the command has done"
}
