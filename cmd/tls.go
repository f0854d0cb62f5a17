package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
)

// tlsDialer connects with TLS. Each address is its own server name.
func tlsDialer(dialer *net.Dialer, config *tls.Config) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		config := config.Clone()
		config.ServerName = host
		d := tls.Dialer{NetDialer: dialer, Config: config}
		ctx, cancel := context.WithTimeout(ctx, dialer.Timeout)
		defer cancel()
		return d.DialContext(ctx, network, addr)
	}
}

func (s settings) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	trusted, err := s.trusted()
	if err != nil {
		return nil, err
	}
	if trusted != nil {
		config.RootCAs = x509.NewCertPool()
		for _, c := range trusted {
			config.RootCAs.AddCert(c)
		}
	}
	if config.Certificates, err = s.clientCertificates(); err != nil {
		return nil, err
	}
	switch check, set := s[propHostnameCheck]; {
	case !set || strings.EqualFold(check, "https"):
	case check == "" || strings.EqualFold(check, "none"): // none is librdkafka's word
		acceptAnyName(config)
	default:
		return nil, usage("", "%s: %q: want https, or nothing", propHostnameCheck, check)
	}
	switch verify := s[propVerify]; {
	case verify == "" || strings.EqualFold(verify, "true"):
	case strings.EqualFold(verify, "false"):
		config.InsecureSkipVerify, config.VerifyConnection = true, nil
	default:
		return nil, usage("", "%s: %q: want true or false", propVerify, verify)
	}
	return config, nil
}

// acceptAnyName verifies the server's certificates, but not its name. Go can
// only leave out both, so the chain is verified here.
func acceptAnyName(config *tls.Config) {
	config.InsecureSkipVerify = true
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errors.New("the broker sent no certificate")
		}
		opts := x509.VerifyOptions{Roots: config.RootCAs, Intermediates: x509.NewCertPool()}
		for _, c := range state.PeerCertificates[1:] {
			opts.Intermediates.AddCert(c)
		}
		_, err := state.PeerCertificates[0].Verify(opts)
		return err
	}
}

// clientCertificates are the client's key and the chain of certificates for it;
// none when nothing names them.
func (s settings) clientCertificates() ([]tls.Certificate, error) {
	if path := s[propKeyLocation]; path != "" {
		own, err := s.keyStore(path)
		if err != nil {
			return nil, fileError(propKeyLocation, path, err)
		}
		return []tls.Certificate{own}, nil
	}
	chain, err := s.pemText(propKeyChain, propCertFile)
	if err != nil {
		return nil, err
	}
	key, err := s.pemText(propKeyPEM, propKeyFile)
	if err != nil {
		return nil, err
	}
	if chain == "" && key == "" {
		return nil, nil
	}
	own, err := pemKeyPair(chain, key, s[propKeyPassword])
	if err != nil {
		return nil, usage("", "the client's key and certificate: %w", err)
	}
	return []tls.Certificate{own}, nil
}

// pemText is the PEM text that stands in the property inline, or in the file
// that the property location names; "" when neither is set.
func (s settings) pemText(inline, location string) (string, error) {
	if text := s[inline]; text != "" {
		return text, nil
	}
	path := s[location]
	if path == "" {
		return "", nil
	}
	text, err := readSmallFile(path, maxStoreSize)
	if err == nil && !isPEM(text) {
		err = errors.New("it is not a PEM file")
	}
	if err != nil {
		return "", fileError(location, path, err)
	}
	return text, nil
}
