package inspect

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gapctl/gapctl/gapstore"
)

// Query says what to gather.
type Query struct {
	// Groups are names of groups, or patterns with * and ? as in [path.Match].
	// A group of exactly that name comes first.
	Groups []string
	// All asks for every group, beside those in Groups.
	All bool
	// Topics and Formats keep only partitions of those topics, or with gaps in
	// those formats. Empty: all. Groups of which nothing is left are kept only
	// when they were named.
	Topics  Topics
	Formats []string
	// GapsOnly keeps only groups that hold gaps, or may hold some that can not
	// be read, and those that were named.
	GapsOnly bool
	// SkipAges leaves OldestGapAt unknown, so that no records are read.
	SkipAges bool
	// AtOnce does not ask again for what a cluster that moves does not tell; for
	// who looks again soon anyway.
	AtOnce bool
	// Waiting, unless it is nil, is told once, after two seconds, why not all is
	// there, and how long it will be asked for at most.
	Waiting func(why error, most time.Duration)
	// Each, unless it is nil, gets each group once all of it is known, in order
	// of names, instead of the snapshot. So any number of groups takes no more
	// memory than some.
	Each func(g *Group)
}

func isPattern(name string) bool { return strings.ContainsAny(name, "*?") }

// check finds patterns that mean nothing.
func (q *Query) check() error {
	for _, name := range q.Groups {
		if _, err := path.Match(name, ""); isPattern(name) && err != nil {
			return fmt.Errorf("group %q: %w", name, err)
		}
	}
	return nil
}

// named reports whether q asks for that very group.
func (q *Query) named(group string) bool { return slices.Contains(q.Groups, group) }

// wants reports whether q asks for a group that exists.
func (q *Query) wants(group string) bool {
	return q.All || q.named(group) || slices.ContainsFunc(q.Groups, func(pattern string) bool {
		match, _ := path.Match(pattern, group)
		return match && isPattern(pattern)
	})
}

// keeps reports whether g, of which the partitions that q does not ask for are
// gone, belongs in the answer.
func (q *Query) keeps(g *Group) bool {
	switch {
	case q.named(g.Name):
		return true
	case g.unlisted && errors.Is(g.Err, gapstore.ErrDenied):
		return false // as a cluster lists no group that may not be described
	case g.Err != nil:
		return true
	case len(q.Topics)+len(q.Formats) > 0 && len(g.Partitions) == 0:
		return false
	}
	return !q.GapsOnly || g.holdsGaps()
}
