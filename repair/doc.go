// Package repair changes gap commits. Every repair is the same three calls:
//
//	plan     := NewPlan(snapshot, op)            pure: no I/O, no clock, no client
//	approval := Approve(plan, by, via)           bound to that very plan, used once
//	result   := applier.Apply(ctx, plan, approval)
//
// Invariants:
//   - A plan holds, byte for byte, what stands and what shall stand. It is a
//     value: it can be shown, saved, loaded and applied later.
//   - Apply writes only when what stands is what the plan saw, or what the plan
//     wants already. What moved is a conflict, and then nothing is written.
//   - Before the first write, what was there is in the journal and on disk. An
//     [Undo] restores it.
//   - After the last write, what stands is read back and compared. An answer
//     that got lost is settled so, never by trying again.
//   - A repair never changes the format that a running consumer must read; only
//     [Convert] does. It never writes what it can not read.
//
// Deliberately absent: flags, prompts, terminals, and any way to write that
// does not pass through the three calls.
package repair
