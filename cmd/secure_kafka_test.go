package cmd

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"github.com/youmark/pkcs8"
	"software.sslmate.com/src/go-pkcs12"
)

// TestSecured is one real broker with TLS, SASL and ACLs, and all that is asked
// of it.
func TestSecured(t *testing.T) {
	s := startSecured(t)
	t.Run("mechanisms", s.testMechanisms)
	t.Run("refused", s.testRefused)
	t.Run("certificates", s.testCertificates)
	t.Run("rights", s.testRights)
	t.Run("share rights", s.testShareRights)
}

// testMechanisms: each mechanism, and each place that a secret can come from.
func (s *secured) testMechanisms(t *testing.T) {
	tokens := tokenServer(t)
	secret, tokenFile := s.file("secret", "s3cret\n"), s.file("token", token("erin")+"\n")
	scram := `sasl.jaas.config=` + jaasPackage + `scram.ScramLoginModule required username="`
	cases := []struct {
		name  string
		lines []string
		env   map[string]string
		args  []string
	}{
		{"plain", []string{`sasl.mechanism=PLAIN`, `sasl.jaas.config=` + jaasPackage + `plain.PlainLoginModule required username="alice" password="s3cret";`}, nil, nil},
		{"scram 256", []string{"sasl.mechanism=SCRAM-SHA-256", scram + `bob" password="s3cret";`}, nil, nil},
		{"scram 512", []string{"sasl.mechanism=SCRAM-SHA-512", scram + `carol" password="s3cret";`}, nil, nil},
		{"password of a file", []string{"sasl.mechanism=PLAIN", "sasl.username=alice"}, nil, []string{"-X", "sasl.password.file=" + secret}},
		{"password of a command", []string{"sasl.mechanism=PLAIN", "sasl.username=alice", "sasl.password.command=cat " + secret}, nil, nil},
		{"password of the environment", []string{"sasl.mechanism=PLAIN", "sasl.username=alice"}, map[string]string{"GAPCTL_SASL_PASSWORD": "s3cret"}, nil},
		{"token", []string{"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token=" + token("erin")}, nil, nil},
		{"token of a file", []string{"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url=file://" + tokenFile}, nil, nil},
		{"client credentials", []string{
			"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url=" + tokens,
			`sasl.jaas.config=` + jaasPackage + `oauthbearer.OAuthBearerLoginModule required clientId="erin" clientSecret="s3cret" scope="kafka";`,
			"sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
		}, nil, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := s.config(strings.ReplaceAll(c.name, " ", "-")+".properties", c.lines...)
			code, out, errs := runWith(t.Context(), c.env, append([]string{"list", "--all", "-o", "json", "--command-config", config}, c.args...)...)
			if code != exitOK || !strings.Contains(out, `"kind":"list"`) || strings.Contains(errs, "sasl") {
				t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errs)
			}
		})
	}
}

// tokenServer is the URL of a token endpoint that knows one client, erin.
func tokenServer(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, secret, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		if client != "erin" || secret != "s3cret" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "kafka" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"no hunter2"}`))
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token("erin"), "expires_in": 3600})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/token"
}

// testRefused: whoever is not who they say is told so, with exit code 9, and
// their secret is repeated nowhere.
func (s *secured) testRefused(t *testing.T) {
	const wrong = "hunter2"
	cases := []struct {
		name  string
		lines []string
		want  string
	}{
		{"plain", []string{"sasl.mechanism=PLAIN", "sasl.username=alice", "sasl.password=" + wrong}, "the cluster does not accept user alice (PLAIN)"},
		{"scram", []string{"sasl.mechanism=SCRAM-SHA-256", "sasl.username=bob", "sasl.password=" + wrong}, "the cluster does not accept user bob (SCRAM-SHA-256)"},
		{"unknown user", []string{"sasl.mechanism=SCRAM-SHA-512", "sasl.username=nobody", "sasl.password=" + wrong}, "the cluster does not accept user nobody (SCRAM-SHA-512)"},
		{"token", []string{"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token=" + wrong}, "the cluster does not accept the token (OAUTHBEARER)"},
		{"client", []string{
			"sasl.mechanism=OAUTHBEARER", "sasl.oauthbearer.token.endpoint.url=" + tokenServer(t),
			"sasl.oauthbearer.client.id=erin", "sasl.oauthbearer.client.secret=" + wrong,
		}, "the token endpoint does not accept client erin: invalid_client"},
		{"mechanism", []string{"sasl.mechanism=AWS_MSK_IAM"}, "the cluster does not offer the mechanism of the credentials (AWS_MSK_IAM)"},
	}
	t.Setenv("AWS_REGION", "eu-west-1") // the client reads it where the broker's name does not say
	for _, c := range cases {
		for _, format := range []string{"table", "json"} {
			t.Run(c.name+" "+format, func(t *testing.T) {
				env := map[string]string{"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": wrong}
				code, out, errs := runWith(t.Context(), env, "list", "-o", format, "--command-config", s.config("refused.properties", c.lines...))
				if code != exitDenied || out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, "hint") || strings.Contains(errs, wrong) {
					t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errs)
				}
			})
		}
	}
}

// testCertificates: the client's certificate, and the ones to trust, in every
// kind of store.
func (s *secured) testCertificates(t *testing.T) {
	const password = "storepass"
	leaf, key, chain := s.ca.sign("mallory", false)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := pkcs8.MarshalPrivateKey(key, []byte(password), nil)
	if err != nil {
		t.Fatal(err)
	}
	modern, err := pkcs12.Modern.Encode(key, leaf, []*x509.Certificate{s.ca.certificate}, password)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{s.ca.certificate}, password)
	if err != nil {
		t.Fatal(err)
	}
	old := keystore.New()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(old.SetPrivateKeyEntry("me", keystore.PrivateKeyEntry{
		CreationTime: time.Now(), PrivateKey: der, CertificateChain: []keystore.Certificate{{Type: "X509", Content: leaf.Raw}},
	}, []byte(password)))
	must(old.SetTrustedCertificateEntry("ca", keystore.TrustedCertificateEntry{
		CreationTime: time.Now(), Certificate: keystore.Certificate{Type: "X509", Content: s.ca.certificate.Raw},
	}))
	var jks strings.Builder
	must(old.Store(&jks, []byte(password)))
	plainKey, lockedKey := s.ca.keyPEM(key), string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: locked}))
	oldStore := s.file("client.jks", jks.String())
	cases := []struct {
		name  string
		lines []string
		want  int
	}{
		{"pem", []string{"ssl.keystore.location=" + s.file("client.pem", plainKey+chain)}, exitOK},
		{"two pem files", []string{"ssl.certificate.location=" + s.file("cert.pem", chain), "ssl.key.location=" + s.file("key.pem", plainKey)}, exitOK},
		{"encrypted key", []string{"ssl.keystore.location=" + s.file("locked.pem", lockedKey+chain), "ssl.key.password=" + password}, exitOK},
		{"encrypted key, wrong password", []string{"ssl.keystore.location=" + s.file("locked.pem", lockedKey+chain), "ssl.key.password=hunter2"}, exitUsage},
		{"pkcs12", []string{"ssl.keystore.location=" + s.file("client.p12", string(modern)), "ssl.keystore.password=" + password}, exitOK},
		{"pkcs12, wrong password", []string{"ssl.keystore.location=" + s.file("client.p12", string(modern)), "ssl.keystore.password=hunter2"}, exitUsage},
		{"pkcs12 trust", []string{
			"ssl.keystore.location=" + s.file("client.pem", plainKey+chain),
			"ssl.truststore.location=" + s.file("trust.p12", string(trust)), "ssl.truststore.password=" + password,
		}, exitOK},
		{"jks", []string{
			"ssl.keystore.location=" + oldStore, "ssl.keystore.password=" + password,
			"ssl.truststore.location=" + oldStore, "ssl.truststore.password=" + password,
		}, exitOK},
		{"jks, wrong password", []string{"ssl.keystore.location=" + oldStore, "ssl.keystore.password=hunter2"}, exitUsage},
		{"none", nil, exitDenied},
		{"not verified", []string{"ssl.keystore.location=" + s.file("client.pem", plainKey+chain), "ssl.truststore.location=", "enable.ssl.certificate.verification=false"}, exitOK},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := s.config("certificates.properties", append([]string{"bootstrap.servers=" + s.Listener("SSL"), "security.protocol=SSL"}, c.lines...)...)
			code, _, errs := runWith(t.Context(), nil, "list", "--command-config", config)
			if code != c.want || strings.Contains(errs, "hunter2") || (code != exitOK) != strings.Contains(errs, "hint: ssl.") {
				t.Errorf("exit code %d, want %d; standard error %q", code, c.want, errs)
			}
		})
	}
}
