//go:build linux

package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
)

// The groups whose consumers are always at work.
const (
	wholeGroup = "whole"
	keyGroup   = "by-key"
	shareGroup = "share"
)

// member is one place in a group. A steady one is never killed, and watched for
// leaks.
type member struct {
	role
	name   string
	steady bool
}

// gang is the consumers that are always at work.
type gang struct {
	s    *soak
	stop context.CancelFunc
	all  sync.WaitGroup

	mu    sync.Mutex
	kills int
}

func (s *soak) members() []member {
	var all []member
	for i := range 3 {
		steady := i == 0 // of three by key, and two of the others
		whole := role{Group: wholeGroup, Instance: fmt.Sprint("member-", i)}
		byKey := role{Group: keyGroup, Instance: whole.Instance, Sharing: gapstore.ByKey}
		if i == 2 {
			byKey.Instance = "" // one that comes and goes
		}
		all = append(all, member{byKey, fmt.Sprint("by-key-", i), steady})
		if i < 2 {
			all = append(all, member{whole, fmt.Sprint("whole-", i), steady},
				member{role{Group: shareGroup, Share: true}, fmt.Sprint("share-", i), steady})
		}
	}
	return all
}

// startGang starts them. They end with end, and are not killed any more once
// the load is over.
func (s *soak) startGang(load context.Context) *gang {
	ctx, stop := context.WithCancel(s.ctx)
	g := &gang{s: s, stop: stop}
	for _, m := range s.members() {
		g.all.Go(func() {
			for ctx.Err() == nil {
				g.live(ctx, load, m)
			}
		})
	}
	return g
}

func (g *gang) end() {
	g.stop()
	g.all.Wait()
}

// live is one life of a member.
func (g *gang) live(ctx, load context.Context, m member) {
	if m.steady {
		m.Stats = g.s.path("stats-" + m.name)
	}
	p, err := g.s.startConsumer(m.role)
	if err != nil {
		g.s.fail("consumer", "%s: %v", m.name, err)
		pause(ctx, time.Second)
		return
	}
	if m.steady {
		g.s.leaks.watch(m.name, p.cmd.Process.Pid, m.Stats)
	}
	life := time.After(time.Duration(10+rand.IntN(20)) * time.Second)
	for {
		select {
		case <-ctx.Done():
			_ = p.end(true)
			return
		case err := <-p.ended:
			g.s.fail("consumer", "%s ended by itself: %v\n%s", m.name, err, p.tail())
			pause(ctx, time.Second)
			return
		case <-life:
			if !m.steady && load.Err() == nil {
				_ = p.end(true)
				g.mu.Lock()
				g.kills++
				g.mu.Unlock()
				return
			}
		}
	}
}

// beginShareGroup has the share group begin with the first record.
func (s *soak) beginShareGroup() {
	s.t.Helper()
	client, err := s.dial()
	if err != nil {
		s.t.Fatal(err)
	}
	defer client.Close()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r := kmsg.NewIncrementalAlterConfigsRequestResource()
	r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, shareGroup
	for name, value := range map[string]string{"share.auto.offset.reset": "earliest", "share.isolation.level": "read_committed"} {
		c := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		c.Name, c.Value = name, &value
		r.Configs = append(r.Configs, c)
	}
	req.Resources = append(req.Resources, r)
	resp, err := req.RequestWith(s.t.Context(), client)
	if err != nil || resp.Resources[0].ErrorCode != 0 {
		s.t.Fatalf("configure the share group: %v, %+v", err, resp)
	}
}
