package lab

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// errClosing answers a request that the lab can not finish any more.
var errClosing = errors.New("the lab is closing")

// observe calls fn with every request of that key before kfake answers it.
func (l *Lab) observe(key kmsg.Key, fn func(kmsg.Request)) {
	l.cluster.ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
		fn(req)
		return nil, nil, false
	})
}

// answer has fn answer every request of that key; a nil response leaves it to
// kfake.
func (l *Lab) answer(key kmsg.Key, fn func(kmsg.Request) (kmsg.Response, error)) {
	l.cluster.ControlKey(int16(key), func(req kmsg.Request) (kmsg.Response, error, bool) {
		l.cluster.KeepControl()
		resp, err := fn(req)
		return resp, err, resp != nil || err != nil
	})
}

// await lets a control function ask the cluster that it runs in: kfake serves
// other connections, the lab's own among them, while ask runs.
func await[T any](l *Lab, ask func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	l.cluster.SleepControl(func() {
		value, err := ask(l.running)
		done <- outcome{value, err}
	})
	select {
	case o := <-done:
		return o.value, o.err
	default: // woken because the cluster closes
		return *new(T), errClosing
	}
}

// forwarded marks a request that the lab sends to its own cluster for somebody
// else: a tag that Kafka does not know.
const forwarded = 0x6761

// forward has kfake answer req, so that the lab sees the response. It reports
// nil for a request that has been forwarded already.
func (l *Lab) forward(req kmsg.Request, tags *kmsg.Tags) (kmsg.Response, error) {
	seen := false
	tags.Each(func(tag uint32, _ []byte) { seen = seen || tag == forwarded })
	if seen {
		return nil, nil
	}
	version := req.GetVersion() // the client sets its own
	tags.Set(forwarded, nil)
	resp, err := await(l, func(ctx context.Context) (kmsg.Response, error) { return l.client.Request(ctx, req) })
	if err != nil {
		return nil, err
	}
	resp.SetVersion(version)
	return resp, nil
}
