package gapstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

const (
	// transactionTimeout is how long consumers of the group and readers of the
	// records wait for a transaction whose writer was killed. It covers one
	// commit's records.
	transactionTimeout = 30 * time.Second
	// retryEvery is the pause before a request that the coordinator could not
	// serve yet is sent again.
	retryEvery = 50 * time.Millisecond
)

// transactor makes transactions of records and the offset commits of a group.
// It is not safe for concurrent use.
type transactor struct {
	id       string // transactional ID
	clientID string
	timeout  time.Duration // of a transaction
	parting  time.Duration // for ending one, even after the caller's context has
	dial     Dial
	limit    *kversion.Versions // what the dialer allows; nil: all
	versions *kversion.Versions // what the broker speaks
	sent     *sentCounter

	producer *Producer // nil until it is needed, and after a failure
}

// membership is who commits: the coordinator refuses anybody who no longer
// belongs to the group.
type membership struct {
	group, id  string
	instance   *string
	generation int32
}

// errNotEnded is that the client has taken a transaction for empty, and told the
// broker nothing.
var errNotEnded = errors.New("the client did not end the transaction")

// commit makes one transaction. sent is how often its end was asked for: without one,
// the transaction was not made.
func (t *transactor) commit(ctx context.Context, m membership, topics []topicCommits, records []*kgo.Record) (sent int64, err error) {
	if err := t.open(ctx); err != nil {
		t.drop()
		return 0, err
	}
	err = t.stage(ctx, m, topics, records)
	// From here on the caller's context no longer counts: ending a transaction
	// must not be cut short.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.parting)
	defer cancel()
	if err == nil {
		before := t.sent.of(kmsg.EndTxn)
		err = t.producer.EndTransaction(ctx, kgo.TryCommit)
		if sent = t.sent.since(before, kmsg.EndTxn, err); sent == 0 && err == nil {
			err = errNotEnded
		}
	}
	if err == nil {
		return sent, nil
	}
	if abortErr := t.abort(ctx, sent > 0 && !isFenced(err) || err == errNotEnded); abortErr != nil {
		err = fmt.Errorf("%w (and the abort: %w)", err, abortErr)
	}
	return sent, err
}

// abort ends the transaction, whatever has become of it, and drops the
// producer: a consumer that arrives must not wait until it times out. The
// client takes a transaction whose end was refused for ended; a new epoch ends
// it.
func (t *transactor) abort(ctx context.Context, refused bool) error {
	defer t.drop()
	t.producer.UnsafeAbortBufferedRecords()
	err := t.producer.EndTransaction(ctx, kgo.TryAbort)
	if err == nil && !refused || isFenced(err) { // then the newer writer has ended it
		return err
	}
	t.drop()
	return t.open(ctx)
}

// stage puts the records and the offsets into a transaction and leaves it open.
func (t *transactor) stage(ctx context.Context, m membership, topics []topicCommits, records []*kgo.Record) error {
	if err := t.producer.BeginTransaction(); err != nil {
		return err
	}
	// Records in flight can't be called back; but the transaction is aborted.
	stop := context.AfterFunc(ctx, t.producer.UnsafeAbortBufferedRecords)
	err := t.produce(ctx, records)
	stop()
	if err != nil {
		return err
	}
	if len(topics) == 0 {
		return t.confirm(ctx, m)
	}
	return t.addOffsets(ctx, m, topics)
}

// produce sends all records and waits for the answers. None goes out before its
// batch is full or the last is there, so that the batches are as few as can be.
func (t *transactor) produce(ctx context.Context, records []*kgo.Record) error {
	if err := t.producer.learn(ctx, records...); err != nil {
		return err
	}
	var first error // promises are called one by one
	var answers sync.WaitGroup
	answers.Add(len(records))
	answer := func(_ *kgo.Record, err error) {
		if first == nil {
			first = err
		}
		answers.Done()
	}
	for _, r := range records {
		t.producer.Client.Produce(ctx, r, answer)
	}
	flushed := t.producer.Flush(ctx)
	answers.Wait()
	if first != nil {
		return first
	}
	return flushed
}

// retry calls fn again while the coordinator is moving, loading, or ending the
// transaction before.
func retry(ctx context.Context, fn func() error) error {
	for {
		err := fn()
		ke, ok := errors.AsType[*kerr.Error](err)
		if !ok || !ke.Retriable && ke != kerr.ConcurrentTransactions {
			return err
		}
		if pause(ctx, retryEvery); ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// open makes the transactional producer, unless it is there, and gets
// its epoch. That fences every older producer of the group, and ends what such
// a one has left open.
func (t *transactor) open(ctx context.Context) error {
	if t.producer == nil {
		if err := t.guarded(); err != nil {
			return err
		}
		producer, err := NewProducer(t.dial, t.producerOpts()...)
		if err != nil {
			return err
		}
		t.producer = producer
	}
	_, _, err := t.producer.ProducerID(ctx)
	return err
}

func (t *transactor) producerOpts() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ClientID(t.clientID),
		kgo.TransactionalID(t.id),
		kgo.TransactionTimeout(t.timeout),
		kgo.ProducerLinger(time.Minute),       // until the flush
		kgo.MaxBufferedRecords(math.MaxInt32), // whoever commits has them all in memory already
		kgo.ProducerBatchMaxBytes(nativeBatch),
		kgo.MetadataMinAge(250 * time.Millisecond), // find a leader that moved without making the group wait
		kgo.WithHooks(t.sent),
	}
	if !t.addsImplicitly() {
		opts = append(opts, kgo.MaxVersions(t.explicitVersions()))
	}
	return opts
}

func (t *transactor) drop() {
	if t.producer != nil {
		t.producer.Close()
		t.producer = nil
	}
}
