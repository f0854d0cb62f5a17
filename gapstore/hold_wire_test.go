package gapstore

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// step is the nth request of a kind (from 1) that a run sends.
type step struct {
	key kmsg.Key
	nth int
}

func (s step) String() string { return fmt.Sprintf("%s-%d", s.key.Name(), s.nth) }

// fault is what the network does to one request.
type fault string

const (
	cutBefore   fault = "cut-before"   // the broker never gets it
	cutAfter    fault = "cut-after"    // the broker does it, the answer is lost
	sentTwice   fault = "sent-twice"   // the broker gets it twice
	answerTwice fault = "answer-twice" // the client gets the answer twice
	deaf        fault = "deaf"         // this answer and all later ones of its kind are lost
	gone        fault = "gone"         // from here on nothing reaches the broker: this process was killed
)

// wire is the network between a hold and its brokers. It writes down every
// request, in order, and can spoil one of them, or run something before it.
type wire struct {
	t    testing.TB
	opts []kgo.Opt

	mu     sync.Mutex
	counts map[kmsg.Key]int
	steps  []step

	at     step
	fault  fault
	before func() // called once, while the request waits
}

func (s *scene) wire() *wire {
	return &wire{t: s.t, opts: append([]kgo.Opt{kgo.SeedBrokers(s.addrs...)}, s.opts...), counts: map[kmsg.Key]int{}}
}

func (w *wire) dial(extra ...kgo.Opt) (*kgo.Client, error) {
	dialer := kgo.Dialer(func(ctx context.Context, network, host string) (net.Conn, error) {
		if w.isGone() {
			return nil, net.ErrClosed
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, host)
		if err != nil {
			return nil, err
		}
		return &wiredConn{Conn: conn, wire: w, answers: bufio.NewReader(conn), spoiled: map[int32]fault{}}, nil
	})
	return kgo.NewClient(slices.Concat(w.opts, []kgo.Opt{dialer}, extra)...)
}

// note writes a request down and returns what shall happen to it.
func (w *wire) note(key kmsg.Key) (fault, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[key]++
	s := step{key, w.counts[key]}
	w.steps = append(w.steps, s)
	reached := w.counts[w.at.key] >= w.at.nth
	switch {
	case w.fault == gone && reached:
		return cutBefore, nil
	case w.fault == deaf && reached && key == w.at.key:
		return cutAfter, nil
	case s == w.at:
		return w.fault, w.before
	}
	return "", nil
}

func (w *wire) isGone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault == gone && w.counts[w.at.key] >= w.at.nth
}

// requests are the steps so far.
func (w *wire) requests() []step {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]step(nil), w.steps...)
}

type wiredConn struct {
	net.Conn
	wire    *wire
	answers *bufio.Reader
	pending []byte // of an answer, not read yet

	mu      sync.Mutex
	spoiled map[int32]fault // by correlation ID
}

func (c *wiredConn) Write(p []byte) (int, error) {
	if len(p) < 12 || int(binary.BigEndian.Uint32(p))+4 != len(p) {
		c.wire.t.Errorf("wire: %d bytes are not one request", len(p))
	}
	key, correlation := kmsg.Key(binary.BigEndian.Uint16(p[4:])), int32(binary.BigEndian.Uint32(p[8:]))
	fault, before := c.wire.note(key)
	if before != nil {
		before()
	}
	switch fault {
	case "":
	case cutBefore:
		_ = c.Conn.Close()
		return 0, io.ErrClosedPipe
	default:
		c.mu.Lock()
		c.spoiled[correlation] = fault
		c.mu.Unlock()
	}
	n, err := c.Conn.Write(p)
	if fault == sentTwice && err == nil {
		_, err = c.Conn.Write(p)
	}
	return n, err
}

func (c *wiredConn) Read(p []byte) (int, error) {
	if len(c.pending) == 0 {
		answer, err := c.nextAnswer()
		if err != nil {
			return 0, err
		}
		c.pending = answer
	}
	n := copy(p, c.pending)
	c.pending = c.pending[n:]
	return n, nil
}

// nextAnswer reads one whole answer and spoils it if it is to be.
func (c *wiredConn) nextAnswer() ([]byte, error) {
	size, err := c.answers.Peek(4)
	if err != nil {
		return nil, err
	}
	answer := make([]byte, 4+binary.BigEndian.Uint32(size))
	if _, err := io.ReadFull(c.answers, answer); err != nil {
		return nil, err
	}
	correlation := int32(binary.BigEndian.Uint32(answer[4:]))
	c.mu.Lock()
	fault := c.spoiled[correlation]
	delete(c.spoiled, correlation)
	c.mu.Unlock()
	switch fault {
	case cutAfter:
		_ = c.Conn.Close()
		return nil, io.EOF
	case answerTwice:
		return append(answer, answer...), nil
	case sentTwice: // the client gets the first of the two answers
		c.mu.Lock()
		c.spoiled[correlation] = "swallow"
		c.mu.Unlock()
	case "swallow":
		return c.nextAnswer()
	}
	return answer, nil
}
