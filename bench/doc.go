// Package bench measures gapctl as a whole against the tools that people use
// today and against the floor: a bare client that makes the same requests and
// prints nothing. All that is compared runs in turn, in one run, and what
// counts are the ratios: they are printed at the end, as one table.
//
//	go test -run '^$' -bench . -benchtime 5x -timeout 60m ./bench
//
// The number of rounds is -benchtime; a first round is not counted.
package bench
