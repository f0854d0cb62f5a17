// Package soak runs everything against a real cluster of three brokers while it
// is disturbed, and audits what has come of it. It holds tests only.
//
// It is one of the tests, with a load of 75 seconds that takes three to four
// minutes in all. The long form has all disturbances, and lasts as long as one
// says; what is shorter than five minutes leaves some out:
//
//	go test -run TestSoak -v ./internal/soak
//	GAPCTL_TEST_SOAK=30m go test -timeout 60m -run TestSoak -v ./internal/soak
//
// At work are a producer, consumers on gapstore (whole partitions, and shared by
// key), a share group, the real Parallel Consumer, and gapctl itself: it looks
// at all groups in loops, and compacts and replays those that are idle.
// Meanwhile brokers are killed, stopped and started again, links are slow, cut
// and stalled, the disk of a broker fills, clocks jump, and consumers are killed.
// GAPCTL_TEST_SOAK_SEED repeats the schedule that a run has printed.
//
// The audit counts records that were lost, that came again although they were
// committed, and that a replay delivered twice; states that can't be decoded or
// that went back; commands that hung, panicked or ended with a status they must
// not; and growth of memory, goroutines and file descriptors.
package soak
