package kafkatest

import "fmt"

// Listener opens one more listener beside the one of [Broker.Addr], which needs
// no credentials. Its name is that of a security protocol, such as "SASL_SSL",
// or one that the property listener.security.protocol.map maps to one.
// [Broker.Listener] is its address.
func Listener(name string) Option {
	return func(s *settings) { s.listeners = append(s.listeners, listener{name: name}) }
}

// listener is one more listener.
type listener struct {
	name string
	port int
}

func (l listener) addr() string { return fmt.Sprintf("127.0.0.1:%d", l.port) }

// Listener is the host:port of the listener of that name.
func (b *Broker) Listener(name string) string {
	b.t.Helper()
	for _, l := range b.settings.listeners {
		if l.name == name {
			return l.addr()
		}
	}
	b.t.Fatalf("kafkatest: no listener %s", name)
	return ""
}
