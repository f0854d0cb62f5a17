package cmd

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/gapctl/gapctl/gapstore"
)

// dial makes the one function that connects to the cluster. It checks all
// settings first, so that what is wrong with them is said before anything is
// tried; secrets are fetched once, however often it is asked.
func (a *app) dial(ctx context.Context, c *connection) (gapstore.Dial, error) {
	if c.dialed != nil {
		return c.dialed, nil
	}
	s, err := a.settings(c)
	if err != nil {
		return nil, err
	}
	if s, err = a.resolved(ctx, s); err != nil {
		return nil, err
	}
	opts, err := a.clientOptions(s)
	if err != nil {
		return nil, err
	}
	a.principal = s.principal()
	c.dialed = func(extra ...kgo.Opt) (*kgo.Client, error) {
		return kgo.NewClient(append(opts[:len(opts):len(opts)], extra...)...)
	}
	return c.dialed, nil
}

// The timeouts of a command that somebody waits for. The client's own are made
// for a process that outlives its brokers.
const (
	defaultSetupTimeout   = 5 * time.Second
	defaultRequestTimeout = 10 * time.Second
	retries               = 5
)

func (a *app) clientOptions(s settings) ([]kgo.Opt, error) {
	brokers, err := s.brokers()
	if err != nil {
		return nil, err
	}
	setup, err := s.millis(propSetupTimeout, defaultSetupTimeout)
	if err != nil {
		return nil, err
	}
	request, err := s.millis(propRequestTimeout, defaultRequestTimeout)
	if err != nil {
		return nil, err
	}
	id := s[propClientID]
	if id == "" {
		id = "gapctl/" + buildVersion()
	}
	opts := []kgo.Opt{
		kgo.SeedBrokers(brokers...),
		kgo.ClientID(id),
		kgo.SoftwareNameAndVersion("gapctl", buildVersion()),
		kgo.RequestTimeoutOverhead(request),
		kgo.RequestRetries(retries),
		kgo.RetryBackoffFn(backoff),
		kgo.DisableClientMetrics(), // KIP-714: nobody asked for any, and whoever only reads sends nothing
	}
	return a.secure(opts, s, setup)
}

// secure adds how connections are made: TLS or not, and who we are.
func (a *app) secure(opts []kgo.Opt, s settings, setup time.Duration) ([]kgo.Opt, error) {
	protocol := strings.ToUpper(s[propProtocol])
	if protocol == "" {
		protocol = "PLAINTEXT"
	}
	withSASL := strings.HasPrefix(protocol, "SASL_")
	dialer := &net.Dialer{Timeout: setup}
	switch strings.TrimPrefix(protocol, "SASL_") {
	case "SSL":
		config, err := s.tlsConfig()
		if err != nil {
			return nil, err
		}
		if config.InsecureSkipVerify && config.VerifyConnection == nil {
			a.say("the brokers' certificates are not verified: anybody could pose as them")
		}
		opts = append(opts, kgo.Dialer(tlsDialer(dialer, config)))
	case "PLAINTEXT":
		opts = append(opts, kgo.Dialer(dialer.DialContext))
	default:
		return nil, usage("", "%s: %q: want PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL", propProtocol, protocol)
	}
	if !withSASL {
		if s.mechanism() != "" || s[propUsername] != "" {
			return nil, usage("set security.protocol to SASL_SSL or SASL_PLAINTEXT",
				"there are credentials, but %s is %s, which sends none", propProtocol, protocol)
		}
		return opts, nil
	}
	mechanism, err := s.sasl(a.getenv)
	if err != nil {
		return nil, err
	}
	return append(opts, kgo.SASL(mechanism)), nil
}

func (s settings) brokers() ([]string, error) {
	var brokers []string
	for part := range strings.SplitSeq(s[propBootstrap], ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		host, port, err := net.SplitHostPort(part)
		if err != nil {
			host, port = strings.Trim(part, "[]"), "9092"
		}
		if host == "" || strings.ContainsAny(host, "/ @") || port == "" {
			return nil, usage("such as broker1:9092,broker2:9092", "%s: %q is not host:port", propBootstrap, part)
		}
		brokers = append(brokers, net.JoinHostPort(host, port))
	}
	if len(brokers) == 0 {
		return nil, usage("-b host:9092, or gapctl context add NAME -b host:9092, or set GAPCTL_BOOTSTRAP_SERVER, or put bootstrap.servers into the file of --command-config",
			"no cluster to talk to")
	}
	return brokers, nil
}

// backoff is the pause before try number n, from 1.
func backoff(n int) time.Duration {
	return min(time.Second, 50*time.Millisecond<<min(n, 5))
}
