// Package inspect gathers what is true about groups that commit out of order,
// judges it, and gives it one readable shape.
//
// [Gather] is parallel and complete: what can not be read is present with its
// error. Findings are pure functions of the [Snapshot]. A view is a struct
// with JSON tags and tables; [Write] alone knows encodings.
//
// Deliberately absent: anything that writes to Kafka, and any knowledge of
// flags or of how the cluster is dialled.
package inspect
