package kafkatest

import (
	"strings"
	"time"
)

// ShareOptions say what the real share consumer does. What neither Reject nor
// Release matches is accepted.
type ShareOptions struct {
	Group   string
	Topics  []string
	Reject  Rule
	Release Rule
	// UntilCovered ends the run once every record that was there at its start
	// has been acknowledged once, so that released records stay available.
	// Otherwise they come again and again until the broker gives them up.
	UntilCovered bool
	Idle         time.Duration // ends after this long without a record; 2 s unless set
	Limit        time.Duration // ends after this long in any case; 60 s unless set
}

// ShareAck is one acknowledgement that the broker has taken.
type ShareAck struct {
	Topic         string
	Partition     int32
	Offset        int64
	Type          string // "accept", "reject" or "release"
	DeliveryCount int16  `json:"delivery_count"` // 1 for the first delivery
}

// RunShare runs the real share consumer from the beginning of the topics and
// returns its acknowledgements in order. It skips before Apache Kafka 4.1, which
// doesn't speak the share protocol that was released.
func (b *Broker) RunShare(opts ShareOptions) []ShareAck {
	b.t.Helper()
	b.NeedVersion(4, 1)
	if opts.Limit == 0 {
		opts.Limit = time.Minute
	}
	args := arguments{"--group", opts.Group, "--topics", strings.Join(opts.Topics, ",")}
	args.add("reject", opts.Reject.text)
	args.add("release", opts.Release.text)
	if opts.UntilCovered {
		args.add("until", "covered")
	}
	args.add("idle", millis(opts.Idle))
	args.add("limit", millis(opts.Limit))
	p := b.runProgram("clients", "ShareRun", args)
	p.wait(opts.Limit + time.Minute)

	type line struct {
		ShareAck
		Done      bool
		Uncovered int
	}
	var acks []ShareAck
	for _, line := range decodeLines[line](p) {
		switch {
		case !line.Done:
			acks = append(acks, line.ShareAck)
		case opts.UntilCovered && line.Uncovered > 0:
			b.t.Fatalf("kafkatest: ShareRun: %d records were never delivered", line.Uncovered)
		default:
			return acks
		}
	}
	b.t.Fatalf("kafkatest: ShareRun printed no last line\n%s", tail(p.errors.String(), 40))
	return nil
}
