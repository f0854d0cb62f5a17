package gapstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestOpenNamesTheBrokerThatIsDown(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = Open(ctx, dialTo(closed))
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(fmt.Sprint(err), closed) {
		t.Errorf("error %v, want ErrUnavailable that names %s", err, closed)
	}
}

func TestOpenNamesTheBrokerThatIsSilent(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err = Open(ctx, dialTo(listener.Addr().String()))
	if !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(fmt.Sprint(err), listener.Addr().String()) {
		t.Errorf("error %v, want ErrUnavailable that names %s", err, listener.Addr())
	}
}

func TestLoadNamesTheBrokerThatFallsSilent(t *testing.T) {
	t.Parallel()
	c := fakeCluster(t, "orders")
	commitTo(t, c.ListenAddrs()[0], "billing", "orders", 0, 5, "")
	s := openStore(t, c.ListenAddrs()...)
	c.ControlKey(kmsg.OffsetFetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, nil, true // no answer, ever
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	loaded, _ := s.Load(ctx, []Ref{{Group: "billing"}}, nil)
	if err := loaded[0].Err; !errors.Is(err, ErrUnavailable) || !strings.Contains(fmt.Sprint(err), c.ListenAddrs()[0]) {
		t.Errorf("error %v, want ErrUnavailable that names %s", err, c.ListenAddrs()[0])
	}
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err   error
		class error
	}{
		{kerr.GroupAuthorizationFailed, ErrDenied},
		{fmt.Errorf("sasl: %w", kerr.SaslAuthenticationFailed), ErrDenied},
		{kerr.GroupIDNotFound, ErrNotFound},
		{kerr.UnknownTopicOrPartition, ErrNotFound},
		{kerr.UnsupportedVersion, ErrUnsupported},
		{kerr.NotCoordinator, ErrUnavailable},
		{kerr.LeaderNotAvailable, ErrUnavailable},
		{context.DeadlineExceeded, ErrUnavailable},
		{&net.OpError{Op: "dial", Err: errors.New("refused")}, ErrUnavailable},
		{context.Canceled, nil},
		{errors.New("else"), nil},
	} {
		err := Classify("try", c.err)
		var failure *Error
		if !errors.As(err, &failure) || failure.Class != c.class || !errors.Is(err, c.err) {
			t.Errorf("%v: %#v, want class %v", c.err, err, c.class)
		}
		if again := Classify("twice", fmt.Errorf("around: %w", err)); !strings.HasPrefix(again.Error(), "around: try: ") {
			t.Errorf("%v: classified twice: %v", c.err, again)
		}
	}
	if Classify("try", nil) != nil {
		t.Error("no error, but one was made")
	}
}

// kgo does not export what it says of a broker that it can't reach any more.
func TestBrokerThatIsGoneIsUnavailable(t *testing.T) {
	c := fakeCluster(t)
	hangUp := func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		return nil, errors.New("hang up"), true
	}
	elsewhere := func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		at := kmsg.NewFindCoordinatorResponseCoordinator()
		at.Key, at.NodeID = "billing", 99
		resp.Coordinators = append(resp.Coordinators, at)
		return resp, nil, true
	}
	list, beat := kmsg.NewPtrListGroupsRequest(), kmsg.NewPtrHeartbeatRequest()
	beat.Group = "billing"
	for name, try := range map[string]func(*kgo.Client) error{
		"nobody names it": func(cl *kgo.Client) error {
			_, err := cl.Broker(99).RetriableRequest(t.Context(), list)
			return err
		},
		"nobody names the coordinator": func(cl *kgo.Client) error {
			c.ControlKey(kmsg.FindCoordinator.Int16(), elsewhere)
			_, err := beat.RequestWith(t.Context(), cl)
			return err
		},
		"it hangs up": func(cl *kgo.Client) error {
			c.ControlKey(kmsg.ListGroups.Int16(), hangUp)
			errs := make(chan error)
			for range 20 { // those on the same connection fail with another error
				go func() {
					_, err := cl.Broker(0).RetriableRequest(t.Context(), list)
					errs <- Classify("list", err)
				}()
			}
			var all error
			for range 20 {
				if err := <-errs; err == nil || !errors.Is(err, ErrUnavailable) {
					all = fmt.Errorf("%v has no class", err)
				} else if all == nil {
					all = err
				}
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			cl, err := dialTo(c.ListenAddrs()...)(kgo.RequestRetries(1), kgo.RetryBackoffFn(func(int) time.Duration { return time.Millisecond }))
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			if _, err := kmsg.NewPtrMetadataRequest().RequestWith(t.Context(), cl); err != nil {
				t.Fatal(err)
			}
			if err := Classify("try", try(cl)); !errors.Is(err, ErrUnavailable) {
				t.Errorf("error %v, want ErrUnavailable", err)
			}
		})
	}
}

// kgo does not export what it says of a request that the broker does not know.
func TestRequestUnknownToTheBrokerIsUnsupported(t *testing.T) {
	c := fakeCluster(t)
	s := openStore(t, c.ListenAddrs()...)
	_, err := kmsg.NewPtrReadShareGroupStateRequest().RequestWith(t.Context(), s.Client())
	if err := Classify("read", err); !errors.Is(err, ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}
