package kafkatest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const abandonEnv = "KAFKATEST_ABANDON"

// TestAbandoned is the child of TestNoBrokerOutlivesItsTest: it starts a broker,
// says where, and waits to be killed.
func TestAbandoned(t *testing.T) {
	if os.Getenv(abandonEnv) == "" {
		t.Skip("runs only as a child of TestNoBrokerOutlivesItsTest")
	}
	fmt.Println("addr", Start(t).Addr())
	<-t.Context().Done()
}

func TestNoBrokerOutlivesItsTest(t *testing.T) {
	t.Parallel()
	Require(t)
	child := exec.Command(os.Args[0], "-test.run=^TestAbandoned$")
	// The child must not wait for the slot that this binary holds.
	child.Env = append(os.Environ(), abandonEnv+"=1", "GAPCTL_TEST_BROKERS=64", "TMPDIR="+t.TempDir())
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var addr string
	for scanner := bufio.NewScanner(out); addr == "" && scanner.Scan(); {
		if rest, found := strings.CutPrefix(scanner.Text(), "addr "); found {
			addr = rest
		}
	}
	_ = child.Process.Kill() // no cleanup runs in the child
	_ = child.Wait()
	if addr == "" {
		t.Fatal("the child started no broker")
	}
	ctx, cancel := context.WithTimeout(t.Context(), answerTimeout)
	defer cancel()
	if !poll(ctx, func() bool { return !listening(addr) }) {
		t.Fatalf("the broker at %s outlives the test that started it", addr)
	}
}

func listening(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
