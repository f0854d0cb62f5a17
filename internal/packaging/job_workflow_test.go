package packaging

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// workflow is the part of a GitHub workflow that says what runs.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Name, Run, Uses string
			With            map[string]string
		}
	}
}

// TestWorkflow runs the steps of the weekly report as a runner does, up to the
// last, which says that there is an error.
func TestWorkflow(t *testing.T) {
	j := newJob(t)
	need(t, "bash", "jq", "dpkg-deb")
	text, err := os.ReadFile(example("github-weekly-report.yml"))
	check(t, err)
	var w workflow
	check(t, yaml.Unmarshal(text, &w))
	steps := w.Jobs["report"].Steps
	runner := newRunner(t, j)
	var artifact string
	for i, step := range steps {
		if step.Uses != "" {
			if !strings.HasPrefix(step.Uses, "actions/upload-artifact@") {
				t.Errorf("step %q uses %s, which nothing here can run", step.Name, step.Uses)
			}
			artifact = filepath.Join(runner.work, step.With["path"])
			continue
		}
		want := 0
		if i == len(steps)-1 {
			want = 1
		}
		runner.run(t, step.Run, want)
	}
	reports, err := filepath.Glob(filepath.Join(artifact, "*.html"))
	check(t, err)
	if names := strings.Join(reports, " "); len(reports) < 8 || !strings.Contains(names, "-ledger.html") || strings.Contains(names, "settlement") {
		t.Errorf("the artifact has the reports %q", names)
	}
	for _, path := range reports {
		if page, err := os.ReadFile(path); err != nil || !strings.Contains(string(page), "</html>") {
			t.Errorf("%s is no page: %v", path, err)
		}
	}
	summary, err := os.ReadFile(filepath.Join(runner.temp, "summary"))
	check(t, err)
	if !strings.Contains(string(summary), "| ledger | transfers/0 | warn phantom | `gapctl compact ledger --topic transfers/0` |") {
		t.Errorf("the summary is\n%s", summary)
	}
	if _, err := os.Stat(filepath.Join(runner.temp, "client.properties")); !os.IsNotExist(err) {
		t.Error("the secret is still on the runner:", err)
	}
}

// runner is a machine that runs the steps of a workflow.
type runner struct {
	job        job
	temp, work string
}

// newRunner has a gh which, instead of downloading a package, makes one.
func newRunner(t *testing.T, j job) *runner {
	t.Helper()
	r := &runner{job: j, temp: filepath.Join(j.folder, "temp"), work: filepath.Join(j.folder, "work")}
	for _, folder := range []string{r.temp, r.work, filepath.Join(j.folder, "tools")} {
		check(t, os.MkdirAll(folder, 0o755))
	}
	gh := `#!/bin/sh
test "$1 $2 $3 $4 $5 $6 $7" = "release download --repo gapctl/gapctl --pattern gapctl_*_amd64.deb --dir" || exit 64
p=$(mktemp -d) && mkdir -p "$p/DEBIAN" "$p/usr/bin" && cp "$PROGRAM" "$p/usr/bin/gapctl" &&
printf 'Package: gapctl\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.com>\nDescription: x\n' > "$p/DEBIAN/control" &&
dpkg-deb --build -Znone "$p" "$8/gapctl_1_amd64.deb" > /dev/null
`
	check(t, os.WriteFile(filepath.Join(j.folder, "tools", "gh"), []byte(gh), 0o755))
	return r
}

// run runs a step with the shell that GitHub's runners use, and what the steps
// before it have left in the files of the environment and the path.
func (r *runner) run(t *testing.T, script string, code int) {
	t.Helper()
	if rest := regexp.MustCompile(`\$\{\{.*?\}\}`).FindString(script); rest != "" {
		t.Errorf("%s would be pasted into a script: set it as a variable", rest)
	}
	properties, err := os.ReadFile(r.job.properties)
	check(t, err)
	env := map[string]string{
		"RUNNER_TEMP": r.temp, "HOME": r.job.folder, "PROGRAM": r.job.program,
		"GAPCTL_CLIENT_PROPERTIES": string(properties),
		"PATH":                     filepath.Join(r.job.folder, "tools") + ":" + os.Getenv("PATH"),
	}
	for _, name := range []string{"path", "env", "step_summary"} {
		env["GITHUB_"+strings.ToUpper(name)] = filepath.Join(r.temp, strings.TrimPrefix(name, "step_"))
	}
	for _, folder := range lines(t, filepath.Join(r.temp, "path")) {
		env["PATH"] = folder + ":" + env["PATH"]
	}
	for _, line := range lines(t, filepath.Join(r.temp, "env")) {
		name, value, _ := strings.Cut(line, "=")
		env[name] = value
	}
	cmd := r.job.command("bash", "--noprofile", "--norc", "-e", "-c", script)
	cmd.Dir, cmd.Env = r.work, nil
	for _, name := range slices.Sorted(maps.Keys(env)) {
		cmd.Env = append(cmd.Env, name+"="+env[name])
	}
	exits(t, cmd, code)
}

// lines are the lines of a file; none when it is not there.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	check(t, err)
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}
