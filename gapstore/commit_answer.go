package gapstore

import "github.com/twmb/franz-go/pkg/kerr"

// answers gathers the broker's answers to one commit, partition by partition.
type answers struct {
	group   string
	names   map[[16]byte]string // newer versions answer with topic IDs alone
	missing map[Key]bool
	refused []Refusal
	written []Key
}

func newAnswers(group string, topics []topicCommits) *answers {
	a := &answers{group: group, names: map[[16]byte]string{}, missing: map[Key]bool{}}
	for _, t := range topics {
		a.names[t.id] = t.topic
		for _, o := range t.offsets {
			a.missing[Key{group, t.topic, o.Partition}] = true
		}
	}
	return a
}

func (a *answers) add(topic string, id [16]byte, partition int32, code int16) {
	if topic == "" {
		topic = a.names[id]
	}
	key := Key{a.group, topic, partition}
	delete(a.missing, key)
	if err := kerr.ErrorForCode(code); err != nil {
		a.refused = append(a.refused, Refusal{key, err})
		return
	}
	a.written = append(a.written, key)
}

// err is nil if every partition was accepted. A partition without an answer
// counts as refused for a reason that the server did not give.
func (a *answers) err() error {
	for key := range a.missing {
		a.refused = append(a.refused, Refusal{key, kerr.UnknownServerError})
	}
	if len(a.refused) == 0 {
		return nil
	}
	return &RefusedError{Refused: a.refused, Written: a.written}
}
