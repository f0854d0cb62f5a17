package cmd

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// wire is what lies between clients and a broker: every request and every answer
// passes it, whole.
type wire struct {
	mu   sync.Mutex
	pass func()
	// aside is the client whose requests pass unseen; "" is nobody.
	aside string
	// mangle, unless nil, makes what arrives of an answer: its size, the number
	// of the request, and the rest. It is set before the first connection.
	mangle func(kmsg.Key, []byte) []byte
}

// set sets what is called, unless nil, before a request goes on its way.
func (w *wire) set(pass func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pass = pass
}

func (w *wire) passes() {
	w.mu.Lock()
	pass := w.pass
	w.mu.Unlock()
	if pass != nil {
		pass()
	}
}

// listen is net.Listen of a broker at the end of w.
func (w *wire) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	return wireListener{l, w}, nil
}

type wireListener struct {
	net.Listener
	wire *wire
}

func (l wireListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wireConn{Conn: c, wire: l.wire, asked: make(chan kmsg.Key, 1<<10)}, nil
}

// wireConn is one connection, as the broker has it.
type wireConn struct {
	net.Conn
	wire  *wire
	frame []byte        // what is left of the request that is being read
	asked chan kmsg.Key // requests without an answer, in order
}

func (c *wireConn) Read(p []byte) (int, error) {
	if len(c.frame) == 0 {
		size := make([]byte, 4)
		if _, err := io.ReadFull(c.Conn, size); err != nil {
			return 0, err
		}
		c.frame = append(size, make([]byte, binary.BigEndian.Uint32(size))...)
		if _, err := io.ReadFull(c.Conn, c.frame[4:]); err != nil {
			return 0, err
		}
		c.asked <- kmsg.Key(binary.BigEndian.Uint16(c.frame[4:]))
		if c.wire.aside == "" || !bytes.Contains(c.frame, []byte(c.wire.aside)) {
			c.wire.passes()
		}
	}
	n := copy(p, c.frame)
	c.frame = c.frame[n:]
	return n, nil
}

// Write writes a whole answer.
func (c *wireConn) Write(answer []byte) (int, error) {
	mangled := answer
	if key := <-c.asked; c.wire.mangle != nil {
		mangled = c.wire.mangle(key, answer)
	}
	_, err := c.Conn.Write(mangled)
	return len(answer), err
}
