package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// packageFormat is how a kind of packages is handled by the system's own tool.
type packageFormat struct {
	name    string
	tools   []string
	zsh     string    // the folder where zsh looks for completions
	licence [2]string // where it is installed, and what it is in the repository
	install func(t *testing.T, r root, path string)
	remove  func(*testing.T, root)
	version func(*testing.T, root) string
}

func deb() packageFormat {
	tool := func(t *testing.T, r root, name string, args ...string) string {
		return succeed(t, exec.Command(name, append([]string{"--root=" + string(r)}, args...)...))
	}
	return packageFormat{
		name: "deb", tools: []string{"dpkg", "dpkg-query"},
		zsh: "/usr/share/zsh/vendor-completions", licence: [2]string{"/usr/share/doc/gapctl/copyright", "internal/packaging/copyright"},
		install: func(t *testing.T, r root, path string) {
			for _, folder := range []string{"info", "updates", "triggers"} {
				check(t, os.MkdirAll(filepath.Join(string(r), "var/lib/dpkg", folder), 0o755))
			}
			check(t, os.WriteFile(filepath.Join(string(r), "var/lib/dpkg/status"), nil, 0o644))
			tool(t, r, "dpkg", "--install", path)
		},
		remove: func(t *testing.T, r root) { tool(t, r, "dpkg", "--purge", "gapctl") },
		version: func(t *testing.T, r root) string {
			return tool(t, r, "dpkg-query", "--show", "--showformat=${Version}", "gapctl")
		},
	}
}

func rpm() packageFormat {
	tool := func(t *testing.T, r root, args ...string) string {
		return succeed(t, exec.Command("rpm", append([]string{"--root", string(r), "--dbpath", "/var/lib/rpm"}, args...)...))
	}
	return packageFormat{
		name: "rpm", tools: []string{"rpm"},
		zsh: "/usr/share/zsh/site-functions", licence: [2]string{"/usr/share/licenses/gapctl/LICENSE", "LICENSE"},
		install: func(t *testing.T, r root, path string) {
			tool(t, r, "--initdb")
			tool(t, r, "--install", path)
		},
		remove:  func(t *testing.T, r root) { tool(t, r, "--erase", "gapctl") },
		version: func(t *testing.T, r root) string { return tool(t, r, "--query", "--queryformat=%{VERSION}", "gapctl") },
	}
}
