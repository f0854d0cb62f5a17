package gapstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Classify makes an [*Error] of a failure of op: it finds the class, and the
// hint that belongs to the cause. nil stays nil, and an [*Error] is returned as
// it is. Cancellation has no class.
func Classify(op string, err error) error {
	if known := (*Error)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	class, hint := classOf(err)
	if class == ErrUnsupported {
		err = unknownRequest{"the broker does not know this request, or not as it was sent", err}
	}
	return &Error{Class: class, Op: op, Hint: hint, Err: err}
}

// lacking is [Classify] of a request that needs one right on a topic: where that
// is what is missing, the hint names it.
func lacking(op, right string, err error) error {
	if errors.Is(err, kerr.TopicAuthorizationFailed) {
		return &Error{Class: ErrDenied, Op: op, Hint: "needs " + right, Err: err}
	}
	return Classify(op, err)
}

// Failure is [Classify] with the broker that kept op waiting, where ctx's
// deadline ended it.
func (s *Store) Failure(op string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		seeds, _ := s.client.OptValue(kgo.SeedBrokers).([]string)
		err = fmt.Errorf("%s: %w", s.traffic.blame(seeds), err)
	}
	return Classify(op, err)
}

const (
	hintUnsupported = "the broker is older than Apache Kafka 2.8, or the feature is off"
	hintMoving      = "the cluster is moving or starting: try again"
)

func classOf(err error) (class error, hint string) {
	if code := (*kerr.Error)(nil); errors.As(err, &code) {
		return classOfCode(code)
	}
	var noTLS *kgo.ErrFirstReadEOF
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return nil, ""
	case errors.As(err, &noTLS):
		return ErrUnavailable, "the broker hung up at once: check TLS and SASL settings against the listener's"
	case errors.Is(err, context.DeadlineExceeded):
		return ErrUnavailable, "check that the broker runs and can be reached, or allow more time with --timeout"
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return ErrUnavailable, "check the address, and that the broker runs and can be reached"
	case errors.Is(err, kgo.ErrAborting):
		return ErrUnavailable, "a broker did not take what the transaction wrote: try again"
	case reads(err, "broker is too old"), reads(err, "request key is unknown"): // its list of requests lacks this one
		return ErrUnsupported, hintUnsupported
	case kgo.IsRetryableBrokerErr(err), reads(err, "unknown broker"): // its connection died, or nobody names it any more
		return ErrUnavailable, hintMoving
	}
	return nil, ""
}

// reads recognises an error of kgo that it does not export, by its text.
func reads(err error, text string) bool { return strings.Contains(err.Error(), text) }

func classOfCode(code *kerr.Error) (class error, hint string) {
	switch code {
	case kerr.GroupAuthorizationFailed:
		return ErrDenied, "needs DESCRIBE on the group"
	case kerr.TopicAuthorizationFailed:
		return ErrDenied, "needs DESCRIBE on the topic (READ to see its records)"
	case kerr.ClusterAuthorizationFailed:
		return ErrDenied, "needs a right on the cluster: DESCRIBE to list, CLUSTER_ACTION to read share state"
	case kerr.TransactionalIDAuthorizationFailed:
		return ErrDenied, "needs WRITE on the transactional ID"
	case kerr.DelegationTokenAuthorizationFailed:
		return ErrDenied, ""
	case kerr.SaslAuthenticationFailed, kerr.IllegalSaslState, kerr.UnsupportedSaslMechanism, kerr.SecurityDisabled:
		return ErrDenied, "check the SASL mechanism, user and password"
	case kerr.GroupIDNotFound:
		return ErrNotFound, "gapctl list --all shows every group"
	case kerr.UnknownTopicOrPartition, kerr.UnknownTopicID:
		return ErrNotFound, "the topic does not exist, or may not be described"
	case kerr.InvalidTimestamp:
		return nil, "the clock of this machine is ahead of the broker's by more than message.timestamp.after.max.ms, an hour unless configured"
	case kerr.UnsupportedVersion, kerr.UnsupportedForMessageFormat:
		return ErrUnsupported, hintUnsupported
	}
	if code.Retriable {
		return ErrUnavailable, hintMoving
	}
	return nil, ""
}
