package cmd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
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
	trust, err := s.pemText(propTrustPEM, propTrustLocation, propTrustType)
	if err != nil {
		return nil, err
	}
	if trust != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(trust)) {
			return nil, usage("", "%s: there is no certificate in it", propTrustLocation)
		}
	}
	if config.Certificates, err = s.clientCertificates(); err != nil {
		return nil, err
	}
	switch check, set := s[propHostnameCheck]; {
	case !set || strings.EqualFold(check, "https"):
	case check == "":
		acceptAnyName(config)
	default:
		return nil, usage("", "%s: %q: want https, or nothing", propHostnameCheck, check)
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

func (s settings) clientCertificates() ([]tls.Certificate, error) {
	both, err := s.pemText("", propKeyLocation, propKeyType)
	if err != nil {
		return nil, err
	}
	chain, err := s.pemText(propKeyChain, propCertFile, propKeyType)
	if err != nil {
		return nil, err
	}
	key, err := s.pemText(propKeyPEM, propKeyFile, propKeyType)
	if err != nil {
		return nil, err
	}
	if both != "" {
		chain, key = both, both
	}
	if chain == "" && key == "" {
		return nil, nil
	}
	if isEncryptedKey(key) {
		return nil, usage("openssl pkcs8 -in KEY -out PLAIN-KEY takes the encryption off", "the client's key is encrypted, which is not supported")
	}
	certificate, err := tls.X509KeyPair([]byte(chain), []byte(key))
	if err != nil {
		return nil, usage("", "the client's key and certificate: %w", err)
	}
	return []tls.Certificate{certificate}, nil
}

func isEncryptedKey(text string) bool {
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return false
		}
		if strings.HasPrefix(block.Type, "ENCRYPTED") || block.Headers["DEK-Info"] != "" {
			return true
		}
	}
}

// maxPEMSize bounds a file of certificates; a system's whole trust store takes
// about 200 kB.
const maxPEMSize = 4 << 20

// pemText is the PEM text that stands in the property inline, or in the file
// that the property location names; "" when neither is set.
func (s settings) pemText(inline, location, kind string) (string, error) {
	if text := s[inline]; text != "" {
		return text, nil
	}
	path := s[location]
	if path == "" {
		return "", nil
	}
	text, err := readSmallFile(path, maxPEMSize)
	if err != nil {
		return "", usage("", "%s: %w", location, err)
	}
	if strings.Contains(text, "-----BEGIN ") {
		return text, nil
	}
	return "", usage(convertHint(location), "%s: %s is %s, which is not supported: want PEM", location, path, storeKind(text, s[kind]))
}

// storeKind names what a key store that is not PEM is.
func storeKind(text, declared string) string {
	switch {
	case bytes.HasPrefix([]byte(text), []byte{0xfe, 0xed, 0xfe, 0xed}):
		return "a JKS key store"
	case strings.HasPrefix(text, "\x30"):
		return "a PKCS12 key store"
	case declared != "" && !strings.EqualFold(declared, "PEM"):
		return fmt.Sprintf("a %s key store", declared)
	}
	return "not a PEM file"
}

func convertHint(location string) string {
	if location == propTrustLocation {
		return "keytool -list -rfc -keystore STORE > trust.pem, then ssl.truststore.type=PEM and ssl.truststore.location=trust.pem"
	}
	return "keytool -importkeystore -srckeystore STORE -destkeystore key.p12 -deststoretype PKCS12, " +
		"then openssl pkcs12 -in key.p12 -nodes -out key.pem, then ssl.keystore.type=PEM and ssl.keystore.location=key.pem"
}
