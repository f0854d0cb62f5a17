package inspect

import "slices"

// Selection is the part of a cluster that a snapshot covers. What is not in it
// may exist all the same. The zero value is everything.
type Selection struct {
	Groups  []string // names and patterns, as in [Query]; empty: all
	Topics  Topics   // empty: all
	Formats []string // empty: all, and commits without gaps
}

// selection is what q asks for.
func (q *Query) selection() Selection {
	s := Selection{Topics: q.Topics, Formats: q.Formats}
	if !q.All {
		s.Groups = q.Groups
	}
	return s
}

// partial reports whether some partitions of the groups are left out.
func (s Selection) partial() bool { return len(s.Topics)+len(s.Formats) > 0 }

// covers reports whether p, of a group of any name, is in the selection.
func (s Selection) covers(p *Partition) bool {
	groups := Query{Groups: s.Groups, All: len(s.Groups) == 0}
	return groups.wants(p.Group) && s.Topics.Match(p.Topic, p.Partition) &&
		(len(s.Formats) == 0 || slices.Contains(s.Formats, p.Format))
}

// SelectionView is a selection in documents. Each list is empty where nothing
// was left out by it.
type SelectionView struct {
	Groups  []string `json:"groups"`
	Topics  []string `json:"topics"` // orders, orders/0,2
	Formats []string `json:"formats"`
}

func newSelectionView(s Selection) SelectionView {
	v := SelectionView{Groups: append([]string{}, s.Groups...), Topics: []string{}, Formats: append([]string{}, s.Formats...)}
	for _, t := range s.Topics {
		v.Topics = append(v.Topics, t.String())
	}
	return v
}

// selection reads v, which is not trusted.
func (v SelectionView) selection() (Selection, error) {
	topics, err := ParseTopics(v.Topics)
	return Selection{Groups: v.Groups, Topics: topics, Formats: v.Formats}, err
}

func (v SelectionView) writeJSON(j *jsonWriter) {
	j.open("selection", '{')
	j.strs("groups", v.Groups)
	j.strs("topics", v.Topics)
	j.strs("formats", v.Formats)
	j.close('}')
}
