package gapstore

import (
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// addsImplicitly reports whether partitions and groups join a transaction by
// themselves (KIP-890, transaction.version 2). The client asks the same about
// itself; both must come to the same answer.
func (t *transactor) addsImplicitly() bool {
	level := int16(0)
	t.versions.EachFinalizedFeature(func(name string, max int16) {
		if name == "transaction.version" {
			level = max
		}
	})
	return level >= 2 && t.allows(kmsg.Produce, 12) && t.allows(kmsg.TxnOffsetCommit, 5) && t.allows(kmsg.EndTxn, 5)
}

// guarded is nil when the broker asks whoever commits in a transaction for
// membership of the group (KIP-447). One that does not would take the commit
// over the heads of the group's members.
func (t *transactor) guarded() error {
	newest, ok := t.versions.LookupMaxKeyVersion(kmsg.TxnOffsetCommit.Int16())
	if ok && newest >= 3 && t.allows(kmsg.TxnOffsetCommit, 3) {
		return nil
	}
	f, _ := featureOf(kmsg.TxnOffsetCommit.Int16())
	return f.lacking("commit in a transaction", nil)
}

// allows reports whether whoever dials lets the client speak a version.
func (t *transactor) allows(key kmsg.Key, version int16) bool {
	if t.limit == nil {
		return true
	}
	newest, ok := t.limit.LookupMaxKeyVersion(key.Int16())
	return ok && newest >= version
}

// explicitVersions keeps TxnOffsetCommit below the version that adds the group
// by itself; the client, seeing the limit, adds partitions by request too.
func (t *transactor) explicitVersions() *kversion.Versions {
	explicit := kversion.Stable()
	if t.limit != nil {
		explicit = new(kversion.Versions)
		t.limit.EachMaxKeyVersion(explicit.SetMaxKeyVersion)
	}
	if !t.allows(kmsg.TxnOffsetCommit, 5) {
		return explicit
	}
	explicit.SetMaxKeyVersion(kmsg.TxnOffsetCommit.Int16(), 4)
	return explicit
}
