// Package bench measures gapctl as a whole against the tools that people use
// today and against the floor: a bare client that makes the same requests and
// prints nothing; and its library against the real Parallel Consumer, Roaring
// bitmaps and what information theory asks for. All that is compared runs in
// turn, in one run, and what counts are the ratios: they are printed at the end,
// as one table, and below it one for each grid of conditions. "1/24" is a
// twenty-fourth of what the other takes.
//
//	go test -run '^$' -bench . -benchtime 3x -timeout 60m ./bench
//
// The number of rounds is -benchtime; a first round is not counted. Whole
// processes and what waits for a broker are timed by the clock; what only
// computes, here and in the real library, by the CPU's time. It takes Java and
// Maven, and kcat where that is to be compared; what is missing is left out,
// with a line that says so.
//
//	describe, reset, plan, share    describe_test.go, plan_test.go
//	10^3 to 10^6 group-partitions   scale_test.go
//	start, and what imports cost    start_test.go
//	records, replay                 records_test.go, replay_test.go, copy_test.go
//	encodings by shape of gaps      codec_test.go, decode_test.go
//	gaps in memory, commit, load    engine_test.go, commit_test.go
//	members that share partitions   together_test.go
package bench
