package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gapctl/gapctl/codec"
)

// judge finds what is wrong with the partitions of g, or worth knowing: a pure
// function of what was gathered.
func judge(g *Group) {
	rules := rules()
	for i := range g.Partitions {
		p := &g.Partitions[i]
		p.Findings = nil
		for _, rule := range rules {
			if f := rule(g, p); f != nil {
				p.Findings = append(p.Findings, *f)
			}
		}
		slices.SortFunc(p.Findings, func(a, b Finding) int { return cmp.Compare(a.Kind, b.Kind) })
	}
}

// A rule looks for one kind of finding; nil: there is nothing to say. It is asked
// for every partition, so it finds that out first.
type rule func(g *Group, p *Partition) *Finding

func rules() []rule {
	return []rule{
		lost, phantom, orphan, beyondLogEnd, topicRecreated,
		undecodable, foreign, notCanonical, roomLeft,
		missingChunk, diverged, nativeLeftover,
		rejected, nearDeliveryLimit, openTransaction, restartGreyhound,
	}
}

// Command is a gapctl command about names, ready for a shell, for somebody to
// take over. Names may hold anything.
func Command(verb string, names ...string) string {
	text := "gapctl " + verb
	for _, name := range names {
		text += " " + shellQuote(name)
	}
	return text
}

// Command is [Command] on one partition of a group. Flags are taken as they are.
func (p *Partition) Command(verb string, flags ...string) string {
	return strings.Join(append([]string{Command(verb, p.Group), "--topic", shellQuote(p.place().String())}, flags...), " ")
}

// shellQuote makes a name one word for a POSIX shell. One that begins with = is a
// path to zsh.
func shellQuote(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/:@%+=-", r)
	}
	if name != "" && name[0] != '-' && name[0] != '=' && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// span is the single range [start,end), or none.
func span(start, end int64) codec.Ranges {
	return codec.NewRanges(codec.Range{Start: start, End: end})
}
