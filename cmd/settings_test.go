package cmd

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseProperties(t *testing.T) {
	const text = "# comment\n! comment\n\n  a = 1\nb:2\nc 3\nd=x\\\n   y\ne=C\\:\\\\temp\\u00e9\\t|\r\nf\n\\ g=\\=\nh = a=b:c\ni=end\\\\\nj=last\\"
	want := []entry{
		{"a", "1", 4}, {"b", "2", 5}, {"c", "3", 6}, {"d", "xy", 7}, {"e", "C:\\tempé\t|", 9},
		{"f", "", 10}, {" g", "=", 11}, {"h", "a=b:c", 12}, {"i", `end\`, 13}, {"j", "last", 14},
	}
	got, err := parseProperties(text)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	for _, bad := range []string{`a=hunter2\u12`, `a=\uzzzzhunter2`} {
		if _, err := parseProperties("\n" + bad); err == nil || !strings.Contains(err.Error(), "line 2") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: error %v, want one about line 2 that keeps the value", bad, err)
		}
	}
}

// TestSettingsAreBounded: what a file, or a command that prints a secret, gives
// beyond what can be meant is an error and not in memory.
func TestSettingsAreBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, strings.Repeat("x", 100))
	if _, err := readSmallFile(path, 99); err == nil || !strings.Contains(err.Error(), "larger than 99 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
	if text, err := readSmallFile(path, 100); err != nil || len(text) != 100 {
		t.Errorf("a file that just fits: %d bytes, %v", len(text), err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if _, err := printedBy(t.Context(), "head -c 1000000 /dev/zero", io.Discard); err == nil {
		t.Error("a command that prints too much is heard to its end")
	}
}

func TestParseJAAS(t *testing.T) {
	const text = `org.apache.kafka.common.security.scram.ScramLoginModule required
  username="al\"ice" password='p;w \\' tokenauth=true;`
	got, err := parseJAAS(text)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"username": `al"ice`, "password": `p;w \`, "tokenauth": "true"}
	if got.module != "ScramLoginModule" || !maps.Equal(got.options, want) {
		t.Errorf("got %q %q, want %q", got.module, got.options, want)
	}
	for _, bad := range []string{"", "Module;", `M required password="hunter2`, `M required password="hunter2"`, `M required hunter2;`} {
		if _, err := parseJAAS(bad); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("parseJAAS(%q): error %v, want one that keeps the secret", bad, err)
		}
	}
}

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"30s": 30 * time.Second, "1h30m": 90 * time.Minute, "PT30S": 30 * time.Second,
		"P1DT2H": 26 * time.Hour, "P2D": 48 * time.Hour, "PT1H30M": 90 * time.Minute,
	}
	for text, want := range good {
		if got, err := parseDuration(text); got != want || err != nil {
			t.Errorf("parseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "0s", "-1s", "5", "P", "PT", "P1W", "PT1x", "pt30s", "never"} {
		if got, err := parseDuration(bad); err == nil {
			t.Errorf("parseDuration(%q) = %v, want an error", bad, got)
		}
	}
}

// TestPasswordPrecedence: a stronger source can give just the password.
func TestPasswordPrecedence(t *testing.T) {
	dir := t.TempDir()
	config, secret := filepath.Join(dir, "client.properties"), filepath.Join(dir, "secret")
	writeFile(t, config, `sasl.jaas.config=PlainLoginModule required username="alice" password="old";`)
	writeFile(t, secret, "from file\n")
	cases := []struct {
		name string
		env  map[string]string
		x    []string
		want string
	}{
		{"file", nil, nil, "alice old"},
		{"environment", map[string]string{"GAPCTL_SASL_PASSWORD": " new "}, nil, "alice  new "},
		{"password file", map[string]string{"GAPCTL_SASL_PASSWORD": "new"}, []string{"sasl.password.file=" + secret}, "alice from file"},
		{"user", nil, []string{"sasl.username=bob"}, "bob old"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := &app{getenv: func(name string) string { return c.env[name] }}
			s, err := a.settings(&connection{commandConfig: config, properties: c.x})
			if err != nil {
				t.Fatal(err)
			}
			password, err := s.fetchSecret(t.Context(), propPassword, io.Discard)
			if got := s[propUsername] + " " + password; got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
