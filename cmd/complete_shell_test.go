package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// completionScene is a cluster with groups and topics, a file of contexts, and
// the environment that leads to both.
func completionScene(t *testing.T) map[string]string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "orders", "orders-dlq", "payments"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, group := range []string{"billing", "billing-eu", "shipping", "bad\x1b[31m"} {
		offsets := kadm.Offsets{}
		offsets.AddOffset("orders", 0, 1, -1)
		if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), group, offsets); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	writeFile(t, config, fmt.Sprintf("current: prod\ncontexts:\n  prod:\n    bootstrap.servers: %s\n  staging:\n    bootstrap.servers: 127.0.0.1:1\n", cluster.ListenAddrs()[0]))
	return map[string]string{"GAPCTL_CONFIG": config, "HOME": t.TempDir()}
}

// completed is what completing the last of args gives, without descriptions.
func completed(t *testing.T, env map[string]string, args ...string) (values []string, directive, errs string) {
	t.Helper()
	code, out, errs := runWith(t.Context(), env, append([]string{"__complete"}, args...)...)
	if code != exitOK {
		t.Fatalf("exit code %d; standard error %q", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[:len(lines)-1] {
		value, _, _ := strings.Cut(line, "\t")
		values = append(values, value)
	}
	return values, lines[len(lines)-1], errs
}

func TestComplete(t *testing.T) {
	env := completionScene(t)
	cases := []struct {
		args string // the last is what Tab was pressed after
		want string
	}{
		{"describe ", "billing billing-eu shipping"},
		{"describe bill", "billing billing-eu"},
		{"describe billing ", "billing-eu shipping"},
		{"gaps ship", "shipping"},
		{"records ", "billing billing-eu shipping"},
		{"records billing ord", "orders-dlq/ orders/"},
		{"records billing orders/", "orders/0@ orders/1@ orders/2@"},
		{"describe billing --topic pay", "payments"},
		{"describe billing --topic payments/", "payments/0 payments/1 payments/2"},
		{"describe --context ", "prod staging"},
		{"describe --context staging ", ""},
		{"context use s", "staging"},
		{"list --color a", "always auto"},
		{"list -X sasl.m", "sasl.mechanism="},
		{"list -X sasl.pass", "sasl.password.command= sasl.password.file="},
		{"undo ", ""},
		{"records billing -f p", ""}, // which is no format of gaps
	}
	for _, c := range cases {
		t.Run(c.args, func(t *testing.T) {
			values, _, _ := completed(t, env, strings.Split(c.args, " ")...)
			if got := strings.Join(values, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCompleteSilence: nothing to complete with is no reason to speak, or to
// keep anybody waiting.
func TestCompleteSilence(t *testing.T) {
	addr, _ := silent(t)
	for name, args := range map[string][]string{
		"no cluster":    {"describe", ""},
		"dead cluster":  {"describe", "-b", "127.0.0.1:1", ""},
		"slow cluster":  {"describe", "-b", addr, ""},
		"slow password": {"describe", "-b", addr, "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=a", "-X", "sasl.password.command=exec sleep 60", ""},
		"loud password": {"describe", "-b", addr, "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN", "-X", "sasl.username=a", "-X", "sasl.password.command=echo gapctl: noise >&2; false", ""},
		"broken file":   {"describe", "--command-config", "absent.properties", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var stdout, stderr bytes.Buffer
			code := run(ctx, append([]string{"__complete"}, args...), World{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Getenv: func(string) string { return "" }, Now: time.Now})
			if code != exitOK || stdout.String() != ":4\n" || strings.Contains(stderr.String(), "gapctl:") || ctx.Err() != nil {
				t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout.String(), stderr.String())
			}
		})
	}
}

// shell is a shell, and a script that presses Tab after $LINE in it.
type shell struct{ name, script string }

func shells() []shell {
	return []shell{
		{"bash", `source /usr/share/bash-completion/bash_completion; source "$SCRIPTS/gapctl.bash"
COMP_LINE="$LINE"; COMP_POINT=${#LINE}; read -ra COMP_WORDS <<<"$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMP_TYPE=9; compopt() { :; }; __start_gapctl
printf '%s\n' "${COMPREPLY[@]}"`},
		{"fish", `source "$SCRIPTS/gapctl.fish"; complete --do-complete "$LINE" | string replace -r '\t.*' ''; true`},
		// zsh completes nowhere but on a terminal: this is what one of its own
		// shows from the Tab, once its line editor is ready, to the next command.
		{"zsh", `zmodload zsh/zpty; zpty z zsh -f -i
zpty -w z "unsetopt listambiguous; autoload -Uz compinit; compinit -u -D; source $SCRIPTS/_gapctl; compdef _gapctl gapctl; zle-line-init() { print -n rea''dy }; zle -N zle-line-init"
zpty -r -m z out '*ready*'
zpty -w -n z "$LINE"$'\t\x15print fin''ished\n'
zpty -r -m z out '*finished*'; print -r -- "${(V)out}"`},
	}
}

// TestCompleteShells presses Tab in the real shells, with the scripts that are
// in completions/.
func TestCompleteShells(t *testing.T) {
	env := shellEnvironment(t, completionScene(t))
	for _, shell := range shells() {
		t.Run(shell.name, func(t *testing.T) {
			for line, want := range map[string]string{
				"gapctl describe bill":                "billing billing-eu",
				"gapctl context use ":                 "prod staging",
				"gapctl describe billing --topic pay": "payments",
				"gapctl desc":                         "describe",
			} {
				out := shell.tab(t, line, env)
				got := strings.Join(strings.Fields(out), " ")
				if shell.name != "zsh" && got != want || shell.name == "zsh" && !shows(got, want) {
					t.Errorf("%s: got %q, want %q", line, out, want)
				}
			}
		})
	}
}

// shellEnvironment is an environment in which a shell finds gapctl and its
// scripts, with more in it.
func shellEnvironment(t *testing.T, more map[string]string) []string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "gapctl")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	scripts, err := filepath.Abs(filepath.Join("..", "completions"))
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "SCRIPTS="+scripts, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "TERM=dumb")
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}

// tab is what s prints after Tab at the end of line. It runs in a directory of
// the test, which fails when there is any file in it then.
func (s shell) tab(t *testing.T, line string, env []string) string {
	t.Helper()
	path, err := exec.LookPath(s.name)
	if err == nil && s.name == "bash" {
		_, err = os.Stat("/usr/share/bash-completion/bash_completion")
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "!!! SKIPPED: %s: needs the packages bash-completion, zsh and fish: %v\n", t.Name(), err)
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", s.script)
	cmd.WaitDelay = time.Second
	cmd.Dir = t.TempDir()
	cmd.Env = append(env[:len(env):len(env)], "LINE="+line)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	if made, err := os.ReadDir(cmd.Dir); err != nil || len(made) > 0 {
		t.Errorf("%s: %s has made %v (%v)", line, s.name, made, err)
	}
	return string(out)
}

// shows reports whether all of the words are in what a terminal shows, and no
// group that was not asked for is.
func shows(got, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if !strings.Contains(got, word) {
			return false
		}
	}
	return !strings.Contains(got, "shipping")
}
