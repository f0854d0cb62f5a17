package packaging

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// cronJob is the part of a Kubernetes CronJob that says what runs.
type cronJob struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		JobTemplate struct {
			Spec struct {
				BackoffLimit     int                              `yaml:"backoffLimit"`
				PodFailurePolicy struct{ Rules []podFailureRule } `yaml:"podFailurePolicy"`
				Template         struct {
					Spec struct {
						RestartPolicy string `yaml:"restartPolicy"`
						Containers    []container
						Volumes       []struct{ Name string }
					}
				}
			}
		} `yaml:"jobTemplate"`
	}
}

type podFailureRule struct {
	Action      string
	OnExitCodes struct {
		Operator string
		Values   []int
	} `yaml:"onExitCodes"`
}

type container struct {
	Image        string
	Args         []string
	Env          []struct{ Name, Value string }
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// action is what Kubernetes does when the container exits with code.
func (c cronJob) action(code int) string {
	for _, rule := range c.Spec.JobTemplate.Spec.PodFailurePolicy.Rules {
		if in := slices.Contains(rule.OnExitCodes.Values, code); in == (rule.OnExitCodes.Operator == "In") {
			return rule.Action
		}
	}
	return "Count"
}

func readCronJobs(t *testing.T) map[string]cronJob {
	t.Helper()
	text, err := os.ReadFile(example("kubernetes-cronjobs.yaml"))
	check(t, err)
	jobs := map[string]cronJob{}
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var c cronJob
		switch err := documents.Decode(&c); {
		case errors.Is(err, io.EOF):
			return jobs
		case err != nil:
			t.Fatal(err)
		case c.Kind == "CronJob":
			jobs[c.Metadata.Name] = c
		}
	}
}

// exitsAs runs the container with what is mounted into it, which must exit with
// code. The image's entry point is gapctl.
func (j job) exitsAs(t *testing.T, c container, code int) {
	t.Helper()
	var places []string
	for _, mount := range c.VolumeMounts {
		folder := filepath.Join(j.folder, mount.Name)
		check(t, os.MkdirAll(folder, 0o755))
		places = append(places, mount.MountPath+"/", folder+"/")
	}
	properties, err := os.ReadFile(j.properties)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(j.folder, "client", "client.properties"), properties, 0o400))
	mounted := strings.NewReplacer(places...)
	cmd := j.command(j.program)
	for _, arg := range c.Args {
		cmd.Args = append(cmd.Args, mounted.Replace(arg))
	}
	for _, v := range c.Env {
		cmd.Env = append(cmd.Env, v.Name+"="+strings.TrimSuffix(mounted.Replace(v.Value+"/"), "/"))
	}
	exits(t, cmd, code)
}

// TestCronJobs runs what the jobs' containers run, and does what Kubernetes does
// with their exit codes.
func TestCronJobs(t *testing.T) {
	j := newJob(t)
	jobs := readCronJobs(t)
	for _, c := range jobs {
		if pod := c.Spec.JobTemplate.Spec.Template.Spec; len(pod.Containers) != 1 || pod.RestartPolicy != "Never" {
			t.Fatalf("%s has %d containers, and restarts them %s: exit codes decide only with Never", c.Metadata.Name, len(pod.Containers), pod.RestartPolicy)
		} else if volumes := len(pod.Volumes); volumes != len(pod.Containers[0].VolumeMounts) {
			t.Errorf("%s mounts %d of %d volumes", c.Metadata.Name, len(pod.Containers[0].VolumeMounts), volumes)
		}
	}
	checks, compacts := jobs["gapctl-check"], jobs["gapctl-compact"]
	j.exitsAs(t, checks.Spec.JobTemplate.Spec.Template.Spec.Containers[0], 3)
	checkFigures(t, filepath.Join(j.folder, "metrics", "gapctl.prom"))
	compact := compacts.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	j.exitsAs(t, compact, 0)
	if found := j.findings(t, "ledger"); strings.Contains(found, "phantom") {
		t.Errorf("ledger still has %q", found)
	}
	if journal, err := os.ReadDir(filepath.Join(j.folder, "state", "gapctl", "journal")); err != nil || len(journal) == 0 {
		t.Errorf("the volume for the journal has %d entries, %v", len(journal), err)
	}
	check(t, os.WriteFile(j.properties, []byte("bootstrap.servers=127.0.0.1:1\n"), 0o600))
	check(t, os.Remove(filepath.Join(j.folder, "client", "client.properties")))
	compact.Args = append(compact.Args, "--timeout", "2s")
	j.exitsAs(t, compact, 8)
	for code, want := range map[int]string{2: "FailJob", 3: "FailJob", 4: "Count", 5: "FailJob", 8: "Count", 9: "FailJob", 11: "FailJob"} {
		if got := compacts.action(code); got != want {
			t.Errorf("gapctl-compact: %s on exit code %d, want %s", got, code, want)
		}
	}
	if checks.action(3) != "FailJob" || checks.action(8) != "Count" {
		t.Error("gapctl-check: 3 must end the job at once, 8 must not")
	}
}
