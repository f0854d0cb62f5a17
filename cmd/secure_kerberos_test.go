//go:build kerberos

package cmd

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// realm is a Kerberos realm with a server of its own.
type realm struct {
	t    *testing.T
	dir  string
	conf string // the path of krb5.conf
	env  []string
}

// startRealm starts MIT's server, or skips with a line that can't be missed
// where it is not installed.
func startRealm(t *testing.T) *realm {
	t.Helper()
	for _, tool := range []string{"krb5kdc", "kdb5_util", "kadmin.local", "kinit"} {
		if _, err := exec.LookPath(tool); err != nil {
			fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s: needs the packages krb5-kdc, krb5-admin-server and krb5-user: %v\n", t.Name(), err)
			t.Skip(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	r := &realm{t: t, dir: t.TempDir()}
	r.conf = filepath.Join(r.dir, "krb5.conf")
	writeFile(t, r.conf, "[libdefaults]\n default_realm = TEST\n dns_lookup_kdc = false\n dns_canonicalize_hostname = false\n rdns = false\n udp_preference_limit = 1\n"+
		"[realms]\n TEST = {\n  kdc = "+addr+"\n }\n")
	profile := filepath.Join(r.dir, "kdc.conf")
	writeFile(t, profile, "[kdcdefaults]\n kdc_tcp_listen = "+addr+"\n kdc_listen = \"\"\n[realms]\n TEST = {\n  database_name = "+r.dir+"/principal\n  key_stash_file = "+
		r.dir+"/stash\n  acl_file = "+r.dir+"/acl\n }\n[logging]\n default = FILE:"+r.dir+"/log\n")
	r.env = append(os.Environ(), "KRB5_CONFIG="+r.conf, "KRB5_KDC_PROFILE="+profile)
	r.run("", "kdb5_util", "create", "-s", "-P", "master", "-r", "TEST")
	kdc := exec.Command("krb5kdc", "-n", "-r", "TEST")
	kdc.Env = r.env
	if err := kdc.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kdc.Process.Kill(); _ = kdc.Wait() })
	for deadline := time.Now().Add(time.Minute); ; {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return r
		}
		if time.Now().After(deadline) {
			t.Fatal("the Kerberos server gives no answer")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (r *realm) run(input, tool string, args ...string) {
	r.t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Env, cmd.Stdin = r.env, strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("%s: %v\n%s", tool, err, out.String())
	}
}

// keytab makes a principal and is the path of its keys.
func (r *realm) keytab(principal string) string {
	r.t.Helper()
	path := filepath.Join(r.dir, strings.ReplaceAll(principal, "/", "-")+".keytab")
	r.run("", "kadmin.local", "-r", "TEST", "addprinc", "-randkey", principal)
	r.run("", "kadmin.local", "-r", "TEST", "ktadd", "-k", path, principal)
	return path
}

// TestKerberos logs in to a real broker with a keytab, and with the tickets of
// kinit.
func TestKerberos(t *testing.T) {
	kafkatest.Require(t)
	r := startRealm(t)
	service, user := r.keytab("kafka/127.0.0.1"), r.keytab("alice")
	broker := kafkatest.Start(t, kafkatest.Listener("SASL_PLAINTEXT"), kafkatest.JVM("-Djava.security.krb5.conf="+r.conf),
		kafkatest.Property("sasl.enabled.mechanisms", "GSSAPI"), kafkatest.Property("sasl.kerberos.service.name", "kafka"),
		kafkatest.Property("listener.name.sasl_plaintext.gssapi.sasl.jaas.config",
			`com.sun.security.auth.module.Krb5LoginModule required useKeyTab="true" storeKey="true" keyTab="`+service+`" principal="kafka/127.0.0.1@TEST";`))
	tickets := filepath.Join(r.dir, "tickets")
	r.run("", "kinit", "-c", "FILE:"+tickets, "-k", "-t", user, "alice")
	const module = "sasl.mechanism=GSSAPI\nsasl.kerberos.service.name=kafka\nsasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required "
	cases := []struct {
		name, jaas string
		want       int
	}{
		{"keytab", `useKeyTab="true" keyTab="` + user + `" principal="alice@TEST";`, exitOK},
		{"tickets", `useTicketCache="true";`, exitOK},
		{"unknown principal", `useKeyTab="true" keyTab="` + user + `" principal="mallory@TEST";`, exitDenied},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := filepath.Join(t.TempDir(), "client.properties")
			writeFile(t, config, "security.protocol=SASL_PLAINTEXT\n"+module+c.jaas+"\n")
			env := map[string]string{"KRB5_CONFIG": r.conf, "KRB5CCNAME": "FILE:" + tickets}
			code, _, errs := runWith(t.Context(), env, "list", "--all", "-b", broker.Listener("SASL_PLAINTEXT"), "--command-config", config)
			if code != c.want || (code == exitDenied) != strings.Contains(errs, "Kerberos does not accept principal mallory@TEST") {
				t.Errorf("exit code %d, want %d; standard error %q", code, c.want, errs)
			}
		})
	}
}
