package kafkatest

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
)

// Cluster is several brokers, each a process that is a controller too. Every
// topic has a copy on each of them, and a write needs all but one. As a [Broker]
// it is what clients bootstrap from.
type Cluster struct {
	*Broker
	nodes []*Node
}

// Node is one broker of a [Cluster].
type Node struct {
	t testing.TB
	*server
	// Front is what clients reach the broker through, and Back what other
	// brokers do, for replication. Controllers talk to each other directly.
	Front, Back *Link
}

// StartCluster starts a cluster of n brokers for this test alone and returns
// when all of them answer. The options of node i, from 0, are what options
// returns. Otherwise it is as Start.
func StartCluster(t testing.TB, n int, options func(i int) []Option) *Cluster {
	t.Helper()
	Require(t)
	c := &Cluster{}
	for i := range n {
		s, err := newServer(newSettings(options(i)))
		if err != nil {
			unavailable(t, err)
		}
		node := &Node{t: t, server: s}
		c.nodes = append(c.nodes, node)
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("node %d\n%s", node.id, node.logTail())
			}
			node.close()
		})
	}
	if err := c.connect(); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	failed := make([]error, n)
	for i, node := range c.nodes { // one alone is no quorum
		all.Go(func() { failed[i] = node.start() })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		t.Fatal(err)
	}
	c.AwaitWhole()
	return c
}

// connect gives the nodes their ports, and to each what it has to know of the
// others.
func (c *Cluster) connect() error {
	var fronts, quorum, voters []string
	clusterID := c.nodes[0].clusterID
	for i, node := range c.nodes {
		s := node.server
		s.id, s.port, s.controller, s.clusterID = i+1, freePort(), freePort(), clusterID
		inner := freePort()
		var err error
		if node.Front, err = newLink(freePort(), s.addr()); err != nil {
			return err
		}
		node.t.Cleanup(func() { _ = node.Front.Cut() })
		if node.Back, err = newLink(freePort(), fmt.Sprintf("127.0.0.1:%d", inner)); err != nil {
			return err
		}
		node.t.Cleanup(func() { _ = node.Back.Cut() })
		controller := fmt.Sprintf("127.0.0.1:%d", s.controller)
		s.settings.merge(map[string]string{
			"node.id":                        strconv.Itoa(s.id),
			"listeners":                      fmt.Sprintf("PLAINTEXT://%s,INNER://127.0.0.1:%d,CONTROLLER://%s", s.addr(), inner, controller),
			"advertised.listeners":           fmt.Sprintf("PLAINTEXT://%s,INNER://%s,CONTROLLER://%s", node.Front.Addr(), node.Back.Addr(), controller),
			"inter.broker.listener.name":     "INNER",
			"listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,INNER:PLAINTEXT",
		})
		directory := make([]byte, 16)
		_, _ = rand.Read(directory)
		directory[0] &= 0x7f // as with the cluster's ID
		fronts, quorum = append(fronts, node.Front.Addr()), append(quorum, controller)
		voters = append(voters, fmt.Sprintf("%d@%s:%s", s.id, controller, base64.RawURLEncoding.EncodeToString(directory)))
	}
	copies, most := strconv.Itoa(len(c.nodes)), strconv.Itoa(max(1, len(c.nodes)-1))
	for _, node := range c.nodes {
		node.format = []string{"--initial-controllers", strings.Join(voters, ",")}
		node.settings.merge(map[string]string{
			"controller.quorum.bootstrap.servers": strings.Join(quorum, ","),
			"default.replication.factor":          copies,
			// Several processes on a busy machine take their time.
			"controller.quorum.election.timeout.ms":            "5000",
			"controller.quorum.fetch.timeout.ms":               "10000",
			"controller.quorum.request.timeout.ms":             "10000",
			"broker.session.timeout.ms":                        "9000",
			"min.insync.replicas":                              most,
			"offsets.topic.replication.factor":                 copies,
			"transaction.state.log.replication.factor":         copies,
			"transaction.state.log.min.isr":                    most,
			"share.coordinator.state.topic.replication.factor": copies,
			"share.coordinator.state.topic.min.isr":            most,
		})
	}
	c.Broker = &Broker{t: c.nodes[0].t, server: c.nodes[0].server, bootstrap: strings.Join(fronts, ",")}
	return nil
}

// Nodes are the brokers.
func (c *Cluster) Nodes() []*Node { return c.nodes }

// AwaitWhole returns once every broker is there and every copy of every
// partition is in sync, and fails the test when that takes too long.
func (c *Cluster) AwaitWhole() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := c.Whole(ctx); err != nil {
		c.t.Fatal(err)
	}
}

// Whole returns once every broker is there and every copy of every partition is
// in sync, or why not when ctx ends.
func (c *Cluster) Whole(ctx context.Context) error {
	client, done := c.admin()
	defer done()
	why := errors.New("not looked yet")
	if !poll(ctx, func() bool {
		metadata, err := client.Metadata(ctx)
		why = cmp.Or(err, whole(metadata, len(c.nodes)))
		return why == nil
	}) {
		return fmt.Errorf("kafkatest: the cluster is not whole: %w", why)
	}
	return nil
}

func whole(metadata kadm.Metadata, nodes int) error {
	if len(metadata.Brokers) != nodes {
		return fmt.Errorf("%d brokers", len(metadata.Brokers))
	}
	for name, topic := range metadata.Topics {
		for _, partition := range topic.Partitions {
			if len(partition.ISR) != nodes || partition.Leader < 0 {
				return fmt.Errorf("%s/%d is led by %d, and %v are in sync", name, partition.Partition, partition.Leader, partition.ISR)
			}
		}
	}
	return nil
}

// Running tells whether the broker's process is there.
func (n *Node) Running() bool { return n.process.running() }

// Stop shuts the broker down cleanly and returns when its process is gone. Its
// links are cut then, as nobody listens any more.
func (n *Node) Stop() error {
	n.end(stopGrace)
	return errors.Join(n.Front.Cut(), n.Back.Cut())
}

// Kill ends the broker at once, and is as Stop otherwise.
func (n *Node) Kill() error {
	n.end(0)
	return errors.Join(n.Front.Cut(), n.Back.Cut())
}

// Restart starts the broker again, on the same ports and with the same data, and
// returns when it answers. Its links are whole then.
func (n *Node) Restart() error {
	n.end(stopGrace)
	if err := errors.Join(n.Front.Mend(), n.Back.Mend()); err != nil {
		return err
	}
	return n.start()
}
