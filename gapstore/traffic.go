package gapstore

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// traffic watches the client's connections, so that a timeout can say which
// broker did not answer: the client itself returns no more than ctx's error.
type traffic struct {
	mu       sync.Mutex
	unheard  map[string]int   // by address: requests without an answer
	unlinked map[string]error // by address: why the last connect failed
}

var (
	_ kgo.HookBrokerConnect    = (*traffic)(nil)
	_ kgo.HookBrokerDisconnect = (*traffic)(nil)
	_ kgo.HookBrokerWrite      = (*traffic)(nil)
	_ kgo.HookBrokerRead       = (*traffic)(nil)
)

func newTraffic() *traffic {
	return &traffic{unheard: map[string]int{}, unlinked: map[string]error{}}
}

func address(meta kgo.BrokerMetadata) string {
	return net.JoinHostPort(meta.Host, strconv.Itoa(int(meta.Port)))
}

// OnBrokerConnect is a kgo hook.
func (t *traffic) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.unlinked, address(meta))
		return
	}
	t.unlinked[address(meta)] = err
}

// OnBrokerDisconnect is a kgo hook.
func (t *traffic) OnBrokerDisconnect(meta kgo.BrokerMetadata, _ net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unheard, address(meta))
}

// OnBrokerWrite is a kgo hook.
func (t *traffic) OnBrokerWrite(meta kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	t.count(meta, err, 1)
}

// OnBrokerRead is a kgo hook.
func (t *traffic) OnBrokerRead(meta kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	t.count(meta, err, -1)
}

func (t *traffic) count(meta kgo.BrokerMetadata, err error, by int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.unheard[address(meta)] + by; err == nil && n > 0 {
		t.unheard[address(meta)] = n
	} else if n <= 0 {
		delete(t.unheard, address(meta))
	}
}

// blame names the brokers that keep the client waiting; seeds are named when
// not even a connection has failed yet.
func (t *traffic) blame(seeds []string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.unheard) > 0 {
		return "no answer from " + strings.Join(slices.Sorted(maps.Keys(t.unheard)), ", ")
	}
	var why []string
	for _, broker := range slices.Sorted(maps.Keys(t.unlinked)) {
		why = append(why, fmt.Sprintf("%s: %v", broker, t.unlinked[broker]))
	}
	if len(why) > 0 {
		return strings.Join(why, "; ")
	}
	return "no answer from " + strings.Join(seeds, ", ")
}
