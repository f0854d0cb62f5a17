package cmd

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pavlo-v-chernykh/keystore-go/v4"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/youmark/pkcs8"
	"software.sslmate.com/src/go-pkcs12"

	"github.com/gapctl/gapctl/internal/kafkatest"
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
			if code != exitOK || !strings.Contains(out, `"kind": "list"`) && !strings.Contains(out, `"kind":"list"`) || strings.Contains(errs, "sasl") {
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

func (s *secured) dave() string {
	return s.config("dave.properties", "sasl.mechanism=SCRAM-SHA-256", "sasl.username=dave", "sasl.password=s3cret")
}

// commit commits gaps for a group, as Parallel Consumer does.
func (s *secured) commit(group string, topics ...string) {
	s.t.Helper()
	code, metadata, errs := runWith(s.t.Context(), nil, "encode", "--stable", "3", "--max", "9", "--gaps", "3-4,7", "--format", "parallel-consumer")
	if code != exitOK {
		s.t.Fatal(errs)
	}
	admin, ctx := s.admin()
	offsets := kadm.Offsets{}
	for _, topic := range topics {
		offsets.Add(kadm.Offset{Topic: topic, Partition: 0, At: 3, LeaderEpoch: -1, Metadata: strings.TrimSpace(metadata)})
	}
	if err := admin.CommitAllOffsets(ctx, group, offsets); err != nil {
		s.t.Fatal(err)
	}
}

// reply is what a command said.
type reply struct {
	code      int
	out, errs string
}

func (s *secured) asDave(t *testing.T, args ...string) reply {
	t.Helper()
	code, out, errs := runWith(t.Context(), nil, append(args, "--command-config", s.dave())...)
	return reply{code, out, errs}
}

// want checks an answer: texts that begin with "!" must not be in it.
func (got reply) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if got.code != code {
		t.Errorf("exit code %d, want %d", got.code, code)
	}
	for _, text := range texts {
		absent, negated := strings.CutPrefix(text, "!")
		if strings.Contains(got.out+got.errs, absent) == negated {
			t.Errorf("want %q", text)
		}
	}
	if t.Failed() {
		t.Fatalf("standard output %s\nstandard error %s", got.out, got.errs)
	}
}

// testRights: who may see some gets just that, and is told what else there is
// to ask for.
func (s *secured) testRights(t *testing.T) {
	for _, topic := range []string{"orders", "payroll"} {
		s.CreateTopic(topic, 1, nil)
		s.Fill(topic, 1, 20)
	}
	s.commit("billing", "orders", "payroll")
	s.commit("salaries", "payroll")

	s.asDave(t, "describe", "billing").want(t, exitDenied, "group billing: describe group billing: GROUP_AUTHORIZATION_FAILED", "hint: needs DESCRIBE on the group")
	s.asDave(t, "list", "--all").want(t, exitOK, "!billing", "!salaries")

	s.allow(kadm.NewACLs().Groups("billing").Operations(kadm.OpDescribe))
	s.asDave(t, "describe", "billing").want(t, exitOK, "!orders", "only shows commits on topics that one may describe")

	s.allow(kadm.NewACLs().Topics("orders").Operations(kadm.OpDescribe))
	const seen = "orders/0              3    9   20  3-4,7            3        14   17"
	s.asDave(t, "describe", "billing").want(t, exitOK, seen, "!payroll", "the age of the oldest gap is not known where records may not be read")
	s.asDave(t, "list", "--all").want(t, exitOK, "billing", "!salaries")
	s.asDave(t, "describe", "billing", "salaries").want(t, exitPartial, seen, "group salaries: describe group salaries: GROUP_AUTHORIZATION_FAILED")
	s.asDave(t, "describe", "salaries", "-o", "json").want(t, exitDenied, `"class":"denied"`, "needs DESCRIBE on the group")
	s.asDave(t, "records", "billing").want(t, exitDenied, "TOPIC_AUTHORIZATION_FAILED", "READ to see its records")

	s.allow(kadm.NewACLs().Topics("orders").Operations(kadm.OpRead))
	s.asDave(t, "describe", "billing").want(t, exitOK, seen, "!the age of the oldest gap is not known")
	s.asDave(t, "records", "billing").want(t, exitOK, "key-3", "key-7", "!key-5")
	s.asDave(t, "skip", "billing", "orders/0@7", "--execute", "--yes").want(t, exitDenied, "needs READ")
	s.asDave(t, "describe", "billing").want(t, exitOK, seen)
}

// testShareRights: without a right on the share coordinator the state is folded
// from its topic, and without that the start offset and the lag remain.
func (s *secured) testShareRights(t *testing.T) {
	s.CreateTopic("parcels", 1, nil)
	s.Fill("parcels", 1, 20)
	s.RunShare(kafkatest.ShareOptions{Group: "shipping", Topics: []string{"parcels"}, Release: kafkatest.Every(5), UntilCovered: true})
	s.allow(kadm.NewACLs().Groups("shipping").Operations(kadm.OpDescribe))
	s.allow(kadm.NewACLs().Topics("parcels").Operations(kadm.OpDescribe))

	const state, noState = "0,5,10,15", "the record states of 1 share partition"
	got := s.asDave(t, "describe", "shipping")
	got.want(t, exitOK, "parcels/0", noState, "CLUSTER_ACTION on the cluster", "READ on topic __share_group_state", "!"+state)
	if n := strings.Count(got.errs, noState); n != 1 {
		t.Errorf("said %d times, want once: %s", n, got.errs)
	}
	s.allow(kadm.NewACLs().Topics("__share_group_state").Operations(kadm.OpRead))
	s.asDave(t, "describe", "shipping").want(t, exitOK, state, "!"+noState)
	s.revoke("__share_group_state")
	s.allow(kadm.NewACLs().Clusters().Operations(kadm.OpClusterAction))
	s.asDave(t, "describe", "shipping").want(t, exitOK, state, "!"+noState)

	env := map[string]string{"GAPCTL_CONFIG": filepath.Join(t.TempDir(), "config.yaml")}
	for _, args := range [][]string{{"context", "add", "dave", "--command-config", s.dave()}, {"context", "test"}} {
		code, out, errs := runWith(t.Context(), env, args...)
		if args[1] == "test" {
			reply{code, out, errs}.want(t, exitOK, "user dave (SCRAM-SHA-256)", "right describe        no", "right cluster-action  unknown")
		}
	}
}

// revoke takes all rights on a topic from everybody.
func (s *secured) revoke(topic string) {
	s.t.Helper()
	admin, ctx := s.admin()
	results, err := admin.DeleteACLs(ctx, kadm.NewACLs().Topics(topic).Operations(kadm.OpAny).AllowHosts().Allow().DenyHosts().Deny().ResourcePatternType(kadm.ACLPatternLiteral))
	for _, r := range results {
		if err == nil {
			err = r.Err
		}
	}
	if err != nil {
		s.t.Fatalf("revoke: %v", err)
	}
}
