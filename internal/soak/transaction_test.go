//go:build linux

package soak

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	// plainID is the transactional ID of a producer that has nothing to do with
	// gapctl.
	plainID = "soak"
	// stuckAfter is longer than any transaction can last once all is well: it is
	// aborted after half a minute, when its coordinator looks, every ten seconds.
	stuckAfter = 2 * time.Minute
	// answering is how long a coordinator may have a producer wait that begins.
	answering = 30 * time.Second
)

// underWay is a transaction that its coordinator says has not ended.
type underWay struct {
	id       string
	producer int64
	epoch    int16
	state    string
	begun    int64 // milliseconds
}

func (u underWay) String() string {
	return fmt.Sprintf("%s: %s, producer %d (epoch %d), begun %v", u.id, u.state, u.producer, u.epoch,
		time.UnixMilli(u.begun).UTC().Format(time.TimeOnly))
}

// is tells whether it is the same transaction, in whatever state.
func (u underWay) is(other underWay) bool { return u.id == other.id && u.begun == other.begun }

// awaitTransactions returns once every transaction has ended that was under way
// when the troubles ended, and the plain producer can begin another. Otherwise
// the cluster can't be a judge of gapctl: whoever waits for such a transaction
// waits for ever.
func (s *soak) awaitTransactions() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, stuckAfter)
	defer cancel()
	client := s.cluster.Client()
	first, err := listUnderWay(ctx, client)
	left := first
	for (err != nil || len(left) > 0) && pause(ctx, time.Second) {
		if left, err = listUnderWay(ctx, client); first == nil {
			first = left
		}
		left = slices.DeleteFunc(left, func(u underWay) bool { return !slices.ContainsFunc(first, u.is) })
	}
	begin := s.begin(client, plainID)
	if err == nil && len(left) == 0 && begin == nil {
		return
	}
	var told strings.Builder
	for _, u := range left {
		fmt.Fprintf(&told, "\n%v; a new producer of this ID: %v", u, s.begin(client, u.id))
	}
	s.t.Fatalf("NO VERDICT: %v after the end of all troubles the transactions of the cluster are stuck (%v); a producer that is not gapctl's begins: %v%s",
		stuckAfter, err, begin, told.String())
}

// tellUnderWay is what transactions are under way, for whoever waits.
func (s *soak) tellUnderWay() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), answering)
	defer cancel()
	all, err := listUnderWay(ctx, s.cluster.Client())
	return fmt.Sprint(all, " ", err)
}

// listUnderWay asks all coordinators.
func listUnderWay(ctx context.Context, client *kgo.Client) ([]underWay, error) {
	admin := kadm.NewClient(client)
	listed, err := admin.ListTransactions(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	ids := listed.TransactionalIDs()
	if len(ids) == 0 {
		return nil, nil
	}
	described, err := admin.DescribeTransactions(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var all []underWay
	for _, d := range described.Sorted() {
		if d.Err == nil && (d.State == "Ongoing" || strings.HasPrefix(d.State, "Prepare")) {
			all = append(all, underWay{d.TxnID, d.ProducerID, d.ProducerEpoch, d.State, d.StartTimestamp})
		}
	}
	return all, nil
}

// begin asks for a new producer of a transactional ID until its coordinator
// gives one, and is what it says instead.
func (s *soak) begin(client *kgo.Client, id string) error {
	ctx, cancel := context.WithTimeout(s.ctx, answering)
	defer cancel()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID, req.TransactionTimeoutMillis = &id, int32(txnLimit.Milliseconds())
	for {
		resp, err := req.RequestWith(ctx, client)
		if err == nil {
			if err = kerr.ErrorForCode(resp.ErrorCode); err == nil {
				return nil
			}
		}
		if !pause(ctx, 200*time.Millisecond) {
			return err
		}
	}
}
