package gapstore

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// revoke commits what is done of partitions that another member is to get, and
// gives them up.
func (c *Consumer) revoke(ctx context.Context, cl *kgo.Client, partitions map[string][]int32) {
	c.drainHands(ctx)
	c.turn <- struct{}{} // a commit under way ends within its own time
	defer func() { <-c.turn }()
	c.mu.RLock()
	now := c.now
	c.mu.RUnlock()
	parts := c.drop(partitions)
	if err := c.commit(ctx, cl, now, parts); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failed = append(c.failed, err)
	}
}

// drainHands waits until no records are in hand. Meanwhile Poll gives none.
func (c *Consumer) drainHands(ctx context.Context) {
	if c.drain <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.drain)
	defer cancel()
	for ctx.Err() == nil && !c.closing.Load() && c.inHand() > 0 {
		pause(ctx, 2*time.Millisecond)
	}
}

func (c *Consumer) inHand() (n int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, t := range c.parts {
		n += t.inHand()
	}
	return n
}

// drop gives partitions up, as they are. Where partitions are shared, these are
// all.
func (c *Consumer) drop(partitions map[string][]int32) (parts []*tracked) {
	c.pull.Lock()
	defer c.pull.Unlock()
	c.mu.Lock()
	c.now, c.awaited = nil, time.Time{}
	for topic, numbers := range partitions {
		for _, partition := range numbers {
			for _, at := range c.withCompanion(place{topic, partition}) {
				if t := c.parts[at]; t != nil {
					parts = append(parts, t)
					delete(c.parts, at)
				}
			}
		}
	}
	c.mu.Unlock()
	c.stopRetries(parts)
	return parts
}
