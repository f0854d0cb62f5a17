package gapstore

import (
	"context"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// endDeparted ends the transactions that those have left open who held the group
// together and are not there any more. Whoever was a member in an earlier
// generation alone has its commits refused: so nothing is taken from anybody that
// could have come to an end. Brokers before Kafka 3.0 can not list transactions;
// theirs end when they time out.
func (h *Hold) endDeparted(ctx context.Context, there roster) error {
	living := map[string]bool{}
	for _, m := range there.members {
		living[memberTransactions(h.member.group, m.ID)] = true
	}
	listed, err := kadm.NewClient(h.cl).ListTransactions(ctx, nil, []string{"Ongoing"})
	if err != nil {
		return err
	}
	var first error
	for _, id := range listed.TransactionalIDs() {
		if living[id] || !strings.HasPrefix(id, teamTransactions(h.member.group)) {
			continue
		}
		if err := h.endTransactions(ctx, id); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// endTransactions ends what is open under the ID, by taking a new epoch.
func (h *Hold) endTransactions(ctx context.Context, id string) error {
	producer, err := h.dial(kgo.ClientID(holdClientID), kgo.TransactionalID(id), kgo.TransactionTimeout(transactionTimeout))
	if err != nil {
		return err
	}
	defer producer.Close()
	_, _, err = producer.ProducerID(ctx)
	return err
}
