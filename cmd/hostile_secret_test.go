package cmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// TestSecretStays: a password is in none of what gapctl prints, of what it
// writes to disk, and of what it runs: results, errors, plans, the journal, the
// report, and the environment and arguments of commands.
func TestSecretStays(t *testing.T) {
	const secret = "hunter2-s3cret"
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"), kfake.EnableSASL(), kfake.Superuser("PLAIN", "alice", secret))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	addr := cluster.ListenAddrs()[0]
	gapsFor(t, "billing", kgo.SeedBrokers(addr), kgo.SASL(plain.Auth{User: "alice", Pass: secret}.AsMechanism()))
	dir := t.TempDir()
	passwords := filepath.Join(t.TempDir(), "password")
	writeFile(t, passwords, secret+"\n")
	if err := os.Chmod(passwords, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"GAPCTL_BOOTSTRAP_SERVER": addr, "GAPCTL_SECURITY_PROTOCOL": "SASL_PLAINTEXT", "GAPCTL_SASL_MECHANISM": "PLAIN",
		"GAPCTL_SASL_USERNAME": "alice", "GAPCTL_SASL_PASSWORD_FILE": passwords, "XDG_STATE_HOME": dir, "XDG_CONFIG_HOME": dir, "GAPCTL_TIMEOUT": "2s",
	}
	for _, p := range properties {
		if p.secret {
			t.Setenv(variableOf(p.name), secret) // of the process, as gapctl would have it
		}
	}
	seen := filepath.Join(dir, "seen")
	for _, c := range []struct {
		line string
		want int
	}{
		{"describe billing -o json", exitOK}, {"context add prod -b " + addr + " -X sasl.password.file=" + passwords, exitOK}, {"context show prod -o json", exitOK},
		{"report billing --file " + dir + "/page.html", exitOK}, {"skip billing orders/0@3 --plan " + dir + "/plan.json -o json", exitOK},
		{"skip billing orders/0@3 --execute --yes -o json", exitOK}, {"undo -o json", exitOK},
		{"replay billing --execute --yes --exec env>>" + seen + ";cat${IFS}/proc/$PPID/cmdline>>" + seen, exitOK},
		{"list -X sasl.password=" + secret, exitUsage}, {"list -X sasl.password.command=cat${IFS}" + passwords + ";exit${IFS}3", exitUsage}, {"list -X sasl.username=bob -o json", exitUnavailable}, // kfake only closes the connection
	} {
		code, out, errs := runWith(t.Context(), env, strings.Fields(c.line)...)
		if code != c.want || strings.Contains(out+errs, secret) {
			t.Errorf("%s: exit code %d, want %d; standard output %q, standard error %q", c.line, code, c.want, out, errs)
		}
	}
	files := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s has the password", path)
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files, %v", files, err)
	}
}

// gapsFor fills orders and commits a gap for a group.
func gapsFor(t *testing.T, group string, opts ...kgo.Opt) {
	t.Helper()
	client, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 12 {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	code, metadata, errs := runWith(t.Context(), nil, "encode", "--stable", "3", "--max", "9", "--gaps", "3-4,7", "--format", "parallel-consumer")
	if code != exitOK {
		t.Fatal(errs)
	}
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: "orders", At: 3, LeaderEpoch: -1, Metadata: strings.TrimSpace(metadata)})
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets); err != nil {
		t.Fatal(err)
	}
}
