// Package gapstore reads and writes gap commits on Kafka, whatever format and
// home they have: the metadata of ordinary offset commits, the state of share
// groups, or a compacted topic of gaps.
//
// Reading never joins a group and never writes. A partition whose bytes can
// not be decoded, or whose broker can not be reached, is an [Entry] with an
// error: it never hides the others.
//
// Deliberately absent: repairs, tables and terminals, and any judgement of
// what is read.
package gapstore
