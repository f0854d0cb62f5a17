package main

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// Three processes replay together, gaps in commit metadata and in the native
// format, and one after the other is killed at any moment and started again: each
// record is delivered exactly once to read-committed readers, and all gaps are
// closed.
func TestKafkaReplayTogetherKilled(t *testing.T) {
	const group, partitions, each, kills = "together", 4, 3000, 15
	broker := kafkatest.Start(t)
	broker.CreateTopic("orders", partitions, nil)
	broker.CreateTopic("retry", partitions, nil)
	broker.Fill("orders", partitions, each)
	client := broker.Client()
	outstanding := commitEverySecond(t, client, group, partitions, each)
	convert := []string{"convert", group, "--to", "native", "--topic", "orders/1,3", "--execute", "--yes", "-b", broker.Addr()}
	if out, err := gapctlProcess(t, "XDG_STATE_HOME="+t.TempDir(), convert...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := func() *teammate {
		return startTeammate(t, "replay", group, "--to-topic", "retry", "--together", "--rate", "300", "--execute", "--yes", "-b", broker.Addr(), "--timeout", "60s")
	}
	began := time.Now()
	team := []*teammate{start(), start(), start()}
	for killed := 0; killed < kills; killed++ {
		victim := awaitMember(t, team)
		time.Sleep(rand.N(1200 * time.Millisecond)) // the moment is what is tried
		if !team[victim].kill() {
			t.Fatalf("it ended before it was killed for the %dth time:\n%s", killed+1, team[victim].said())
		}
		expireMember(t, client, group, team[victim].member()) // as time would
		team[victim] = start()
	}
	t.Logf("killed %d times in %v", kills, time.Since(began))
	for _, mate := range team {
		if err := mate.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, mate.said())
		}
	}
	t.Logf("done after %v", time.Since(began))
	mustBeCopiedOnce(t, broker, group, each, int(outstanding))
}

// teammate is one process of a replay together.
type teammate struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	out bytes.Buffer
}

func startTeammate(t *testing.T, args ...string) *teammate {
	t.Helper()
	m := &teammate{cmd: gapctlProcess(t, "XDG_STATE_HOME="+t.TempDir(), args...)}
	m.cmd.Stdout, m.cmd.Stderr = m, m
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return m
}

// Write takes what the process says.
func (m *teammate) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.Write(p)
}

func (m *teammate) said() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.out.String()
}

// kill reports whether the process was still there to be killed.
func (m *teammate) kill() bool {
	_ = m.cmd.Process.Kill()
	err := m.cmd.Wait()
	return err != nil && m.cmd.ProcessState.ExitCode() < 0
}

var memberSaid = regexp.MustCompile(`member (gapctl-together-\S+)`)

// member is the ID that the process has in the group now; "" before it joined.
func (m *teammate) member() string {
	found := memberSaid.FindAllStringSubmatch(m.said(), -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

// awaitMember is one of those that are in the group.
func awaitMember(t *testing.T, team []*teammate) int {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if i := rand.IntN(len(team)); team[i].member() != "" {
			return i
		}
		if i := slices.IndexFunc(team, func(m *teammate) bool { return m.member() != "" }); i >= 0 {
			return i
		}
	}
	t.Fatal("no process has joined")
	return 0
}
