package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Now is when the samples are told from, unless [Options] says otherwise: their
// newest records are seconds old then, and the oldest gap of the group billing
// is 3h12m old.
func Now() time.Time { return time.Date(2026, time.March, 14, 3, 12, 0, 0, time.UTC) }

// transactionTimeout keeps the open transaction of the samples open for as long
// as anybody will look at a lab.
const transactionTimeout = 24 * time.Hour

// ClusterID is the ID of every lab's cluster.
const ClusterID = "gapctl-lab"

// ClientID is how a lab names itself where it asks its own cluster.
const ClientID = "gapctl-lab"

// Options says what lab to start; the zero value is one in memory, on any free
// port, with samples.
type Options struct {
	// DataDir keeps the cluster between starts; "" keeps it in memory. Samples
	// are made only when the directory holds no topic yet.
	DataDir string
	// Port is the port to listen on, on 127.0.0.1; 0 picks a free one.
	Port int
	// Empty leaves the samples out.
	Empty bool
	// Now is when the samples are told from; zero means [Now].
	Now time.Time
	// Listen takes the place of [net.Listen], unless it is nil.
	Listen func(network, address string) (net.Listener, error)
}

// Lab is a running broker.
type Lab struct {
	cluster *kfake.Cluster
	addr    string
	// client is what control functions ask the cluster with. A request that
	// came over it must never wait for another: kfake answers a connection's
	// requests one by one.
	client  *kgo.Client
	member  *member // the live member; nil when there are no samples
	share   *deliveries
	dir     string
	closing sync.Once
	running context.Context // until Close: bounds what the lab asks of its own cluster
	stop    context.CancelFunc
}

// Start starts a lab and makes its samples. Cancelling ctx ends the start; a
// lab that has started runs until [Lab.Close].
func Start(ctx context.Context, o Options) (*Lab, error) {
	if o.Now.IsZero() {
		o.Now = Now()
	}
	l := &Lab{dir: o.DataDir}
	l.running, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := l.start(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("start the lab: %w", err), l.Close())
	}
	return l, nil
}

func (l *Lab) start(ctx context.Context, o Options) error {
	var err error
	if l.share, err = loadDeliveries(o.DataDir); err != nil {
		return err
	}
	if l.cluster, err = kfake.NewCluster(clusterOptions(o)...); err != nil {
		return err
	}
	l.addr = l.cluster.ListenAddrs()[0]
	if err := claimDeliveries(o.DataDir); err != nil {
		return err
	}
	if l.client, err = kgo.NewClient(clientOptions(l.addr, ClientID)...); err != nil {
		return err
	}
	l.limitMetadata()
	l.watchShareGroups()
	if err := l.answerShareState(ctx); err != nil {
		return err
	}
	if o.Empty {
		return nil
	}
	topics, err := kadm.NewClient(l.client).ListTopics(ctx)
	if err != nil {
		return err
	}
	if len(topics) == 0 {
		if err := seed(ctx, l.addr, o.Now); err != nil {
			return err
		}
	}
	l.member, err = join(ctx, l.addr)
	return err
}

func clusterOptions(o Options) []kfake.Opt {
	opts := []kfake.Opt{
		kfake.ClusterID(ClusterID),
		kfake.Ports(o.Port),
		kfake.ListenFn(asKafka(o.Listen)),
		kfake.BrokerConfigs(map[string]string{
			"transaction.max.timeout.ms": strconv.FormatInt(transactionTimeout.Milliseconds(), 10),
		}),
	}
	if o.DataDir != "" {
		opts = append(opts, kfake.DataDir(o.DataDir))
	}
	return opts
}

func clientOptions(addr, id string) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(addr),
		kgo.ClientID(id),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MaxBufferedRecords(1 << 16),
	}
}

// Addr is the broker's address, as host:port.
func (l *Lab) Addr() string { return l.addr }

// Close stops the lab and, where it has a directory, keeps it there. Closing
// again does nothing.
func (l *Lab) Close() error {
	var err error
	l.closing.Do(func() {
		l.stop()
		l.member.leave()
		if l.client != nil {
			l.client.Close()
		}
		if l.cluster == nil {
			return
		}
		l.cluster.Close()
		err = l.share.save(l.dir)
	})
	return err
}
