package lab

import "net"

// asKafka is listen, or net.Listen where that is nil, for connections that say
// the client's host as Kafka's broker does: without the port, which differs from
// run to run and would show up in the descriptions of group members.
func asKafka(listen func(network, address string) (net.Listener, error)) func(network, address string) (net.Listener, error) {
	if listen == nil {
		listen = net.Listen
	}
	return func(network, address string) (net.Listener, error) {
		l, err := listen(network, address)
		if err != nil {
			return nil, err
		}
		return listener{l}, nil
	}
}

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

type conn struct{ net.Conn }

func (c conn) RemoteAddr() net.Addr { return host{c.Conn.RemoteAddr()} }

type host struct{ net.Addr }

// String is the host alone, in the form of Java's InetAddress: "/127.0.0.1".
func (h host) String() string {
	name, _, err := net.SplitHostPort(h.Addr.String())
	if err != nil {
		return h.Addr.String()
	}
	return "/" + name
}
