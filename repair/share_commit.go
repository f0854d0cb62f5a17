package repair

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

// shareDelivery is what is kept of the deliveries of some records, as the text
// of a [Commit] has it.
type shareDelivery struct {
	Start int64               `json:"start"`
	End   int64               `json:"end"`
	State codec.DeliveryState `json:"state"`
	Count int16               `json:"count"`
}

// shareCommitOf is the state of a share partition as a commit: the start
// offset, and as text what is kept of the records' deliveries.
func shareCommitOf(e *gapstore.Entry) Commit {
	var all []shareDelivery
	for _, d := range e.State.Delivery {
		if d.State != codec.Unknown {
			all = append(all, shareDelivery{d.Start, d.End, d.State, d.Count})
		}
	}
	if len(e.State.Delivery) == 0 {
		return newCommit(e.Committed, -1, "")
	}
	text, _ := json.Marshal(all) // numbers alone
	return newCommit(e.Committed, -1, string(text))
}

// deliveriesInWords counts, by state, what the commit of a share partition keeps
// of deliveries.
func (c Commit) deliveriesInWords() string {
	var all []shareDelivery
	_ = json.Unmarshal([]byte(c.Metadata), &all) // it is our own text, or none
	counts := map[codec.DeliveryState]int64{}
	for _, d := range all {
		counts[d.State] += d.End - d.Start
	}
	var words []string
	for _, of := range []struct {
		state codec.DeliveryState
		what  string
	}{{codec.Acknowledged, "accepted"}, {codec.Archived, "rejected"}, {codec.Available, "released"}} {
		if n := counts[of.state]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, of.what))
		}
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
