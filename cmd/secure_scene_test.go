package cmd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// authority signs certificates for one test.
type authority struct {
	t           *testing.T
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.certificate, a.key, a.pem = a.sign("test authority", true)
	return a
}

// sign makes a certificate for a name and 127.0.0.1, and a new key.
func (a *authority) sign(name string, isCA bool) (*x509.Certificate, *ecdsa.PrivateKey, string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: isCA, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	parent, signer := a.certificate, a.key
	if isCA {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return certificate, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// keyPEM is a key as PKCS8.
func (a *authority) keyPEM(key *ecdsa.PrivateKey) string {
	a.t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// secured is a real broker with TLS, every SASL mechanism and ACLs.
type secured struct {
	*kafkatest.Broker
	t     *testing.T
	ca    *authority
	dir   string
	trust string // the path of the authority's certificate
}

const jaasPackage = "org.apache.kafka.common.security."

func startSecured(t *testing.T) *secured {
	t.Helper()
	kafkatest.Require(t)
	s := &secured{t: t, ca: newAuthority(t), dir: t.TempDir()}
	_, key, chain := s.ca.sign("broker", false)
	s.trust = s.file("ca.pem", s.ca.pem)
	options := []kafkatest.Option{kafkatest.Listener("SASL_SSL"), kafkatest.Listener("SSL")}
	for key, value := range map[string]string{
		"ssl.keystore.type": "PEM", "ssl.keystore.location": s.file("broker.pem", s.ca.keyPEM(key)+chain+s.ca.pem),
		"ssl.truststore.type": "PEM", "ssl.truststore.location": s.trust,
		"listener.name.ssl.ssl.client.auth":                     "required",
		"sasl.enabled.mechanisms":                               "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
		"listener.name.sasl_ssl.plain.sasl.jaas.config":         jaasPackage + `plain.PlainLoginModule required user_alice="s3cret";`,
		"listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": jaasPackage + "scram.ScramLoginModule required;",
		"listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": jaasPackage + "scram.ScramLoginModule required;",
		"listener.name.sasl_ssl.oauthbearer.sasl.jaas.config":   jaasPackage + `oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";`,
		"authorizer.class.name":                                 "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"super.users":                                           "User:ANONYMOUS;User:alice;User:bob;User:carol;User:erin;User:CN=mallory",
	} {
		options = append(options, kafkatest.Property(key, value))
	}
	s.Broker = kafkatest.Start(t, options...)
	s.user("bob", kadm.ScramSha256)
	s.user("carol", kadm.ScramSha512)
	s.user("dave", kadm.ScramSha256)
	return s
}

func (s *secured) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	writeFile(s.t, path, text)
	return path
}

func (s *secured) admin() (*kadm.Client, context.Context) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	return kadm.NewClient(s.Client()), ctx
}

// user makes a user of SCRAM, whose password is s3cret.
func (s *secured) user(name string, mechanism kadm.ScramMechanism) {
	s.t.Helper()
	admin, ctx := s.admin()
	users, err := admin.AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{{User: name, Mechanism: mechanism, Iterations: 4096, Password: "s3cret"}})
	if err == nil {
		err = users.Error()
	}
	if err != nil {
		s.t.Fatalf("user %s: %v", name, err)
	}
}

// allow gives dave rights.
func (s *secured) allow(acl *kadm.ACLBuilder) {
	s.t.Helper()
	admin, ctx := s.admin()
	results, err := admin.CreateACLs(ctx, acl.Allow("User:dave").AllowHosts("*").ResourcePatternType(kadm.ACLPatternLiteral))
	for _, r := range results {
		if err == nil {
			err = r.Err
		}
	}
	if err != nil {
		s.t.Fatalf("ACL: %v", err)
	}
}

// config is a file of client properties for the listener with SASL.
func (s *secured) config(name string, lines ...string) string {
	s.t.Helper()
	return s.file(name, strings.Join(append([]string{
		"bootstrap.servers=" + s.Listener("SASL_SSL"), "security.protocol=SASL_SSL", "ssl.truststore.location=" + s.trust,
	}, lines...), "\n")+"\n")
}

// token is an unsigned token (RFC 7519), as a broker that is set up for trials
// takes them.
func token(user string) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	now := time.Now().Unix()
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, user, now, now+3600)) + "."
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
