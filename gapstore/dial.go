package gapstore

import "github.com/twmb/franz-go/pkg/kgo"

// Dial makes a client for the cluster that the caller chose, with extra
// options on top. It is the only seam to Kafka: whoever dials decides on
// addresses, TLS, authentication and timeouts. The caller closes the client.
type Dial func(extra ...kgo.Opt) (*kgo.Client, error)
