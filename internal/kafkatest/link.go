package kafkatest

import (
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Link is the network between clients and one listener of a broker: a proxy on
// loopback, which needs no rights. It can be slow, lose every connection, or let
// nothing through while connections stay open.
type Link struct {
	addr, target string

	mu       sync.Mutex
	listener net.Listener // nil while the link is cut
	now      condition
	changed  chan struct{} // closed with each change of now
	conns    map[net.Conn]struct{}
}

// condition is how a link is.
type condition struct {
	delay        time.Duration
	cut, stalled bool
}

// newLink listens on the port and carries what comes to the target.
func newLink(port int, target string) (*Link, error) {
	l := &Link{
		addr: fmt.Sprintf("127.0.0.1:%d", port), target: target,
		changed: make(chan struct{}), conns: map[net.Conn]struct{}{},
	}
	return l, l.become(condition{})
}

// Addr is the host:port that clients connect to.
func (l *Link) Addr() string { return l.addr }

// Delay makes everything take so much longer, in each direction.
func (l *Link) Delay(by time.Duration) error { return l.become(condition{delay: by}) }

// Cut ends all connections and refuses new ones.
func (l *Link) Cut() error { return l.become(condition{cut: true}) }

// Stall lets no byte through, as a network does that loses all packets: both
// sides wait.
func (l *Link) Stall() error { return l.become(condition{stalled: true}) }

// Mend makes the link whole again.
func (l *Link) Mend() error { return l.become(condition{}) }

// become changes the link's condition. It fails when somebody else has taken the
// port of a link that was cut.
func (l *Link) become(c condition) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.cut && l.listener == nil {
		listener, err := net.Listen("tcp", l.addr)
		if err != nil {
			return fmt.Errorf("kafkatest: %w", err)
		}
		l.listener = listener
		go l.accept(listener)
	}
	if c.cut && l.listener != nil {
		_ = l.listener.Close()
		l.listener = nil
		for conn := range l.conns {
			_ = conn.Close()
		}
	}
	l.now = c
	close(l.changed)
	l.changed = make(chan struct{})
	return nil
}

func (l *Link) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return // closed
		}
		go l.carry(conn)
	}
}

// carry joins a client's connection with one to the target until either ends.
func (l *Link) carry(client net.Conn) {
	defer client.Close()
	if !l.keep(client) {
		return
	}
	defer l.forget(client)
	server, err := net.DialTimeout("tcp", l.target, answerTimeout)
	if err != nil { // as near as can be to a broker that is not there
		_ = client.(*net.TCPConn).SetLinger(0)
		return
	}
	defer server.Close()
	if !l.keep(server) {
		return
	}
	defer l.forget(server)
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			l.pump(way[0], way[1])
			_ = client.Close()
			_ = server.Close()
		})
	}
	both.Wait()
}

// keep notes a connection, so that a cut ends it; false while the link is cut.
func (l *Link) keep(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now.cut {
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *Link) forget(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
}

func (l *Link) pump(from io.Reader, to io.Writer) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !l.pass() {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// pass waits for as long as the link makes bytes wait; false when it is cut.
func (l *Link) pass() bool {
	for {
		l.mu.Lock()
		now, changed := l.now, l.changed
		l.mu.Unlock()
		switch {
		case now.cut:
			return false
		case now.stalled:
			<-changed
		default:
			time.Sleep(now.delay)
			return true
		}
	}
}
