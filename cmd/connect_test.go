package cmd

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// runWith runs gapctl in this process; env may be nil.
func runWith(ctx context.Context, env map[string]string, args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(ctx, args, World{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr,
		Getenv: func(name string) string { return env[name] }, Now: time.Now,
	})
	return code, stdout.String(), stderr.String()
}

// TestSASL connects to a broker with each mechanism, as Kafka's own tools would
// be told to.
func TestSASL(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(),
		kfake.Superuser("PLAIN", "alice", "s3cret"), kfake.Superuser("SCRAM-SHA-256", "bob", "s3cret"), kfake.Superuser("SCRAM-SHA-512", "carol", "s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	cases := []struct {
		name, mechanism, module, user string
	}{
		{"plain", "PLAIN", "plain.PlainLoginModule", "alice"},
		{"scram 256", "SCRAM-SHA-256", "scram.ScramLoginModule", "bob"},
		{"scram 512", "SCRAM-SHA-512", "scram.ScramLoginModule", "carol"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "client.properties")
			writeFile(t, config, "security.protocol=SASL_PLAINTEXT\nsasl.mechanism="+c.mechanism+
				"\nsasl.jaas.config=org.apache.kafka.common.security."+c.module+" required username=\""+c.user+"\" password=\"s3cret\";\n")
			code, _, errs := runWith(t.Context(), nil, "list", "-b", cluster.ListenAddrs()[0], "--command-config", config)
			if code != exitOK {
				t.Errorf("exit code %d; standard error %q", code, errs)
			}
		})
	}
}

// TestWrongPassword: a broker says so, where kfake only closes the connection.
func TestWrongPassword(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", "s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	cluster.ControlKey(kmsg.SASLAuthenticate.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
		return resp, nil, true
	})
	env := map[string]string{"GAPCTL_SECURITY_PROTOCOL": "SASL_PLAINTEXT", "GAPCTL_SASL_MECHANISM": "PLAIN", "GAPCTL_SASL_USERNAME": "alice", "GAPCTL_SASL_PASSWORD": "hunter2"}
	code, out, errs := runWith(t.Context(), env, "list", "-b", cluster.ListenAddrs()[0])
	if code != exitDenied || out != "" || strings.Contains(errs, "hunter2") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errs)
	}
}

// TestTLS connects with a truststore of its own, refuses a broker of another
// name unless told otherwise, and one that is not trusted.
func TestTLS(t *testing.T) {
	certificate, trust := selfSigned(t, "localhost")
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	_, port, err := net.SplitHostPort(cluster.ListenAddrs()[0])
	if err != nil {
		t.Fatal(err)
	}
	trustFile := filepath.Join(t.TempDir(), "trust.pem")
	writeFile(t, trustFile, trust)
	_, otherTrust := selfSigned(t, "localhost")
	otherFile := filepath.Join(t.TempDir(), "other.pem")
	writeFile(t, otherFile, otherTrust)
	cases := []struct {
		name string
		args []string
		want int
	}{
		{"any name", []string{"-X", "ssl.truststore.location=" + trustFile, "-X", "ssl.endpoint.identification.algorithm="}, exitOK},
		{"librdkafka's name", []string{"-X", "ssl.ca.location=" + trustFile, "-X", "ssl.endpoint.identification.algorithm="}, exitOK},
		{"other name", []string{"-X", "ssl.truststore.location=" + trustFile}, exitFailure},
		{"not trusted", []string{"-X", "ssl.truststore.location=" + otherFile, "-X", "ssl.endpoint.identification.algorithm="}, exitFailure},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"list", "-b", "127.0.0.1:" + port, "-X", "security.protocol=SSL", "--timeout", "5s"}, c.args...)
			code, _, errs := runWith(t.Context(), nil, args...)
			if code != c.want || (code != exitOK) != strings.Contains(errs, "hint: ssl.") {
				t.Errorf("exit code %d, want %d; standard error %q", code, c.want, errs)
			}
		})
	}
}

// selfSigned is a certificate for a host name, and itself as PEM.
func selfSigned(t *testing.T, host string) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text)
}

// silent is the address of a listener that accepts and never answers; accepted
// is closed at the first connection.
func silent(t *testing.T) (addr string, accepted <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	first := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n == 0 {
				close(first)
			}
			defer c.Close()
		}
	}()
	return l.Addr().String(), first
}

func TestTimeout(t *testing.T) {
	addr, _ := silent(t)
	code, out, errs := runWith(t.Context(), map[string]string{"GAPCTL_TIMEOUT": "200ms"}, "list", "-b", addr)
	if code != exitUnavailable || out != "" || !strings.Contains(errs, "no answer within 200ms") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errs)
	}
}

func TestInterrupt(t *testing.T) {
	addr, accepted := silent(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-accepted
		cancel(errInterrupted)
	}()
	code, out, errs := runWith(ctx, nil, "list", "-b", addr, "--timeout", "1m", "-o", "json")
	if code != exitInterrupted || out != "" || !strings.Contains(errs, `"class":"interrupted"`) {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errs)
	}
}
