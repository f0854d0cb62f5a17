// Package lab is an embedded broker on the loopback interface with sample
// groups in every format in which gap commits are found, so that every state
// that gapctl knows is there to be seen, without a cluster.
//
// The broker is kfake: it speaks the real protocol over TCP, and whatever
// gapctl or any other client does to it takes effect. The lab adds what kfake
// lacks and gapctl needs: the limit of offset.metadata.max.bytes, and the share
// coordinator's ReadShareGroupState and ReadShareGroupStateSummary.
//
// The samples are deterministic: the same records at the same offsets with the
// same timestamps, the same commits, the same member IDs. Only topic IDs and
// producer IDs are drawn anew whenever samples are made, because kfake draws
// them.
//
// Known limits:
//   - kfake keeps the delivery state of share groups to itself. The lab derives
//     it from the acknowledgements that it sees pass, and takes start offsets
//     from kfake. What passes without an acknowledgement is not counted: a lock
//     that expires, a member that leaves with records in hand, and an
//     acknowledgement that kfake refuses is taken for good.
//   - There is no __share_group_state, no __consumer_offsets, and no
//     WriteShareGroupState.
//   - The commit of a deleted topic, in the group coupons, is named by versions
//     of OffsetFetch up to 9. From 10 on kfake gives it the zero topic ID.
//   - A start that ends while it makes samples in a directory leaves what it
//     has made, and later starts do not complete it.
package lab
