package kafkatest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// PCOptions say what the real Parallel Consumer does.
type PCOptions struct {
	Group  string
	Topics []string
	Order  string        // "unordered" (the default), "key" or "partition"
	Commit string        // "async" (the default), "sync" or "transaction"
	Output string        // for "transaction": the topic that gets a copy of each record
	Fail   Rule          // the records that fail for ever
	Work   time.Duration // that each record takes
	Idle   time.Duration // ends after this long without a new success; 2 s unless set
	Limit  time.Duration // ends after this long in any case; 60 s unless set
	// Overflow allows a map too large for the commit metadata, which Parallel
	// Consumer then leaves out.
	Overflow bool
}

// PCResult is what the Parallel Consumer did.
type PCResult struct {
	Processed   map[TopicPartition][]int64 // offsets processed at least once, ascending
	Uncommitted int64                      // successes that the last commit doesn't hold
	Took        time.Duration
}

// PC is a running Parallel Consumer.
type PC struct {
	*program
	opts    PCOptions
	started time.Time
}

// RunPC runs the real Parallel Consumer from the group's commit, or from the
// beginning, until it is idle. When it returns, the last commit holds every
// success (unless Overflow allows otherwise) and the member has left.
func (b *Broker) RunPC(opts PCOptions) PCResult {
	b.t.Helper()
	return b.StartPC(opts).Wait()
}

// StartPC starts what RunPC runs.
func (b *Broker) StartPC(opts PCOptions) *PC {
	b.t.Helper()
	if opts.Limit == 0 {
		opts.Limit = time.Minute
	}
	args := arguments{"--group", opts.Group, "--topics", strings.Join(opts.Topics, ",")}
	args.add("order", opts.Order)
	args.add("commit", opts.Commit)
	args.add("output", opts.Output)
	args.add("fail", opts.Fail.text)
	args.add("work", millis(opts.Work))
	args.add("idle", millis(opts.Idle))
	args.add("limit", millis(opts.Limit))
	return &PC{program: b.runProgram("pc", "PcRun", args), opts: opts, started: time.Now()}
}

type pcLine struct {
	Topic       string
	Partition   int32
	Offset      int64
	Done        bool
	Uncommitted int64
	Closed      bool
}

// Processed are the offsets processed so far, ascending.
func (p *PC) Processed() map[TopicPartition][]int64 {
	p.t.Helper()
	return processed(decodeLines[pcLine](p.program))
}

// Stop asks the consumer to commit and leave now, and waits for that.
func (p *PC) Stop() PCResult {
	p.t.Helper()
	askToStop(p.cmd.Process)
	return p.Wait()
}

// Kill ends the consumer at once: nothing more is committed, and the group keeps
// the member until its session of 6 s times out.
func (p *PC) Kill() { p.end(0) }

// Wait returns when the consumer has ended by itself.
func (p *PC) Wait() PCResult {
	p.t.Helper()
	p.wait(p.opts.Limit + time.Minute)
	result, err := p.result()
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// End asks the consumer to commit and leave, and kills it after the grace
// period, or at once where that is zero. An error says that the commit lacks
// what was processed, or may lack it.
func (p *PC) End(grace time.Duration) (PCResult, error) {
	p.end(grace)
	return p.result()
}

func (p *PC) result() (PCResult, error) {
	all := decodeLines[pcLine](p.program)
	result := PCResult{Processed: processed(all), Took: time.Since(p.started)}
	if len(all) == 0 || !all[len(all)-1].Done {
		return result, fmt.Errorf("kafkatest: PcRun printed no last line\n%s", tail(p.errors.String(), 40))
	}
	last := all[len(all)-1]
	result.Uncommitted = last.Uncommitted
	if last.Uncommitted > 0 && !p.opts.Overflow {
		return result, fmt.Errorf("kafkatest: PcRun: the commit lacks %d successes", last.Uncommitted)
	}
	if !last.Closed {
		return result, fmt.Errorf("kafkatest: Parallel Consumer didn't close\n%s", tail(p.errors.String(), 40))
	}
	return result, nil
}

func processed(all []pcLine) map[TopicPartition][]int64 {
	offsets := map[TopicPartition][]int64{}
	for _, line := range all {
		if !line.Done {
			at := TopicPartition{line.Topic, line.Partition}
			offsets[at] = append(offsets[at], line.Offset)
		}
	}
	for at, of := range offsets {
		slices.Sort(of)
		offsets[at] = slices.Compact(of)
	}
	return offsets
}
