// Package gapstore reads and writes gap commits on Kafka, whatever format and
// home they have: the metadata of ordinary offset commits, the state of share
// groups, or a compacted topic of gaps.
//
// Reading never joins a group and never writes. A partition whose bytes can
// not be decoded, or whose broker can not be reached, is an [Entry] with an
// error: it never hides the others.
//
// A [Hold] writes for a group that nobody consumes, a [Consumer] for one that is
// consumed: both make gaps, records and the committed offset one transaction,
// under a membership that the coordinator checks. So what comes of a record, be it
// an output, a retry or a dead letter, is there exactly once. The gaps of a
// Consumer lie in the compacted topic that docs/FORMAT.md specifies;
// [Store.Ensure] makes it.
//
// Deliberately absent: repairs, tables and terminals, and any judgement of
// what is read.
package gapstore
