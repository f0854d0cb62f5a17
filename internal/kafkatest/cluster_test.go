package kafkatest

import (
	"net"
	"testing"
	"time"
)

// A cluster outlives the death of one node, and is whole again when it is back;
// clients of another notice no more of a slow network than that.
func TestClusterSurvivesANode(t *testing.T) { // not beside the others: it is three brokers
	cluster := StartCluster(t, 3, func(int) []Option { return []Option{Heap(256)} })
	cluster.CreateTopic("orders", 2, nil)
	cluster.Fill("orders", 2, 50)
	first := cluster.Nodes()[0]
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	if first.Running() {
		t.Fatal("the process runs on")
	}
	cluster.Fill("orders", 2, 50)
	if err := first.Restart(); err != nil {
		t.Fatal(err)
	}
	cluster.AwaitWhole()
	if err := cluster.Nodes()[1].Front.Delay(20 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if seen := consume(t, cluster.Broker, "orders", 200); len(seen) != 100 {
		t.Fatalf("%d distinct records of 100", len(seen))
	}
}

// A link passes bytes on, stops them while it is stalled and ends connections
// when it is cut.
func TestLink(t *testing.T) {
	t.Parallel()
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 10)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					_, _ = conn.Write(buffer[:n])
				}
			}()
		}
	}()
	link, err := newLink(freePort(), echo.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	become := func(change func() error) {
		if err := change(); err != nil {
			t.Fatal(err)
		}
	}
	defer link.Cut()
	conn, err := net.Dial("tcp", link.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answer := make([]byte, 10)
	say := func(text string) (string, error) {
		if _, err := conn.Write([]byte(text)); err != nil {
			return "", err
		}
		n, err := conn.Read(answer)
		return string(answer[:n]), err
	}
	if got, err := say("hello"); got != "hello" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	become(link.Stall)
	_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if got, err := say("later"); err == nil {
		t.Fatalf("a stalled link passed %q", got)
	}
	become(link.Mend)
	_ = conn.SetReadDeadline(time.Time{})
	if n, err := conn.Read(answer); string(answer[:n]) != "later" || err != nil {
		t.Fatalf("%q, %v", answer[:n], err)
	}
	become(link.Cut)
	if listening(link.Addr()) {
		t.Fatal("a cut link takes connections")
	}
	if got, err := say("lost"); err == nil {
		t.Fatalf("a cut link passed %q", got)
	}
	become(link.Mend)
	if !listening(link.Addr()) {
		t.Fatal("a mended link takes no connections")
	}
}
