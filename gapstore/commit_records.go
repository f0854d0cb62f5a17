package gapstore

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// transactionalID belongs to the group, so that of two writers of one group
// the newer fences the older, and ends what it left unfinished.
func transactionalID(group string) string { return "gapctl-" + group }

// commitRecords makes one transaction.
func (h *Hold) commitRecords(ctx context.Context, topics []topicCommits, records []*kgo.Record) error {
	sent, err := h.txn.commit(ctx, h.member.membership(), topics, records)
	return h.outcome("commit records and offsets of group "+h.member.group, err, sent)
}

// newTransactor is what the hold makes transactions with, under that ID.
func (h *Hold) newTransactor(id string) *transactor {
	limit, _ := h.cl.OptValue(kgo.MaxVersions).(*kversion.Versions)
	return &transactor{
		id: id, clientID: holdClientID, timeout: transactionTimeout,
		parting: h.member.timing.parting, dial: h.dial, limit: limit, versions: h.versions, sent: &h.sent,
	}
}

// Transacts is nil when the broker can commit records and offsets of this hold
// in one transaction; otherwise an [*Error] of class [ErrUnsupported].
func (h *Hold) Transacts() error { return h.txn.guarded() }
