package cmd

import (
	"net"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

// TestBrokerDown: of two brokers that each have a group, nobody listens at the
// address of one any more, though it is still named. What the other has is told,
// and what is missing.
func TestBrokerDown(t *testing.T) {
	t.Parallel()
	var listeners []net.Listener
	cluster, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		listeners = append(listeners, l)
		return l, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newBrokerScene(t, cluster.ListenAddrs()[0])
	s.topic("orders", sceneRecords)
	for broker := range int32(2) {
		if err := cluster.MoveTopicPartition("orders", broker, broker); err != nil {
			t.Fatal(err)
		}
	}
	var on [2]string
	for name := "g"; on[0] == "" || on[1] == ""; name += "g" {
		if at := cluster.CoordinatorFor(name); on[at] == "" {
			on[at] = name
			s.gapCommit(name, "orders")
		}
	}
	if err := listeners[1].Close(); err != nil {
		t.Fatal(err)
	}
	const missing = "groups may be missing: list the groups of broker 1: "
	for line, want := range map[string]struct {
		code  int
		texts []string
	}{
		"list -o json":         {exitPartial, []string{`"group":"` + on[0] + `"`, missing}},
		"describe --all":       {exitPartial, []string{on[0], missing}},
		"check --skip-records": {exitPartial, []string{missing}},
		"describe " + on[1]:    {exitUnavailable, []string{on[1], "!no group"}},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s.run(line+" --timeout 3s").want(t, want.code, want.texts...)
		})
	}
}
