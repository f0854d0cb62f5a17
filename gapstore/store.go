package gapstore

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"golang.org/x/sync/errgroup"
)

// Store reads the gap commits of one cluster. It is safe for concurrent use.
type Store struct {
	dial      Dial
	client    *kgo.Client
	traffic   *traffic
	sent      sentCounter
	clusterID string
	broker    int32 // any broker, for what all of them answer alike
	versions  *kversion.Versions

	decompressor boundedDecompressor

	asking sync.Mutex // for the limits, by one at a time
	limits *limits    // once the broker has told them

	mu     sync.Mutex
	listed map[string]int32 // the broker that has listed a group
}

// Open dials the cluster and asks who it is. The error is an [*Error]; ctx
// bounds this call only.
func Open(ctx context.Context, dial Dial) (*Store, error) {
	s := &Store{dial: dial, traffic: newTraffic(), decompressor: boundedDecompressor{maxBatch}}
	client, err := dial(kgo.MaxVersions(readVersions()), kgo.WithHooks(s.traffic, &s.sent))
	if err != nil {
		return nil, Classify("connect", err)
	}
	s.client = client
	if err := s.greet(ctx); err != nil {
		client.Close()
		return nil, s.Failure("connect", err)
	}
	return s, nil
}

// readVersions are the newest versions of requests to use. OffsetFetch v10
// names topics by ID only, and the broker leaves out commits whose topic it can
// not find an ID for; v9 has the names, also those of deleted topics.
func readVersions() *kversion.Versions {
	v := kversion.Stable()
	v.SetMaxKeyVersion(kmsg.OffsetFetch.Int16(), 9)
	return v
}

func (s *Store) greet(ctx context.Context) error {
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{} // none; nil would be all
		resp, err := req.RequestWith(ctx, s.client)
		if err != nil {
			return err
		}
		if resp.ClusterID != nil {
			s.clusterID = *resp.ClusterID
		}
		if len(resp.Brokers) > 0 {
			s.broker = resp.Brokers[0].NodeID
		}
		return nil
	})
	work.Go(func() error {
		resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(ctx, s.client)
		if err == nil {
			s.versions = kversion.FromApiVersionsResponse(resp)
		}
		return err
	})
	return work.Wait()
}

// Close ends the connections. The Store can not be used afterwards.
func (s *Store) Close() { s.client.Close() }

// Client is the connection to the cluster, for requests that are not about
// commits. It must not be closed.
func (s *Store) Client() *kgo.Client { return s.client }

// ClusterID is the cluster's ID, "" where it does not tell.
func (s *Store) ClusterID() string { return s.clusterID }

// alter makes the one request of op, which changes what stands. Its errors are
// those of requests that were never sent, and [ErrUnknownOutcome] where one was,
// and its answer never came.
func (s *Store) alter(ctx context.Context, op string, req kmsg.Request) (kmsg.Response, error) {
	key := kmsg.Key(req.Key())
	before := s.sent.of(key)
	resp, err := s.client.Request(ctx, req)
	switch {
	case err == nil:
		return resp, nil
	case s.sent.since(before, key, err) == 0:
		return nil, s.RequestFailure(op, req.Key(), err)
	}
	return nil, &Error{Class: ErrUnknownOutcome, Op: op, Hint: "read the offsets back", Err: err}
}

// speaks reports whether the brokers know version of the request.
func (s *Store) speaks(request kmsg.Key, version int16) bool {
	newest, ok := s.versions.LookupMaxKeyVersion(request.Int16())
	return ok && newest >= version
}
