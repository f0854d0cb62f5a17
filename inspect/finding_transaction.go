package inspect

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gapctl/gapctl/codec"
	"github.com/gapctl/gapctl/gapstore"
)

func openTransaction(_ *Group, p *Partition) *Finding {
	if !p.Pending {
		return nil
	}
	return &Finding{
		Kind: "open-transaction", Level: LevelInfo,
		Message: "a transaction that is still open is about to change this commit",
	}
}

// abortSlack is how much longer than its timeout a transaction may stay open:
// coordinators look every ten seconds, and have to reach the logs.
const abortSlack = time.Minute

// explainTransaction tells what an open transaction holds up: the records after
// it, and, where it is about to change the commit, the commit.
func (c *checking) explainTransaction(g *Group, p *Partition) *Finding {
	if c.transactions == nil {
		return nil
	}
	f, commit := c.holdsLastStable(p), openTransaction(g, p)
	if commit == nil {
		return f
	}
	if who := c.transactions.open[c.transactions.commits[p.Group]]; len(who) > 0 {
		var names []string
		for i := range who {
			names = append(names, who[i].who())
		}
		commit.Message += ": " + strings.Join(slices.Compact(names), ", or ")
	}
	if f != nil {
		f.Message += "; " + commit.Message
		return f
	}
	return commit
}

// holdsLastStable is about the transaction that comes first in the log.
func (c *checking) holdsLastStable(p *Partition) *Finding {
	if p.LastStable < 0 || p.LastStable >= p.LogEnd {
		return nil
	}
	at := p.place()
	f := &Finding{Kind: "open-transaction", Level: LevelInfo, Ranges: codec.NewRanges(codec.Range{Start: p.LastStable, End: p.LogEnd})}
	blocked := fmt.Sprintf("read-committed consumers get nothing from %d on, which is %s", p.LastStable, Plural(f.Ranges.Count(), "offset"))
	open := c.transactions.open[at]
	if len(open) == 0 {
		err := c.transactions.failed[at]
		if err == nil {
			return nil // it has ended meanwhile
		}
		needs := "needs READ on the topic"
		if errors.Is(err, gapstore.ErrUnsupported) {
			needs = "can not be told"
		}
		f.Message = fmt.Sprintf("a transaction is open: %s; whose it is %s (%v)", blocked, needs, err)
		return f
	}
	t := &open[0]
	age := c.now.Sub(t.Since)
	f.Message = fmt.Sprintf("a transaction is open for %s (since %s), by %s: %s", c.ago(t.Since), Time{t.Since}, t.who(), blocked)
	if err := c.transactions.unnamed; err != nil {
		f.Message += fmt.Sprintf("; its ID can not be told (%v)", err)
	}
	switch {
	case t.hangs(age):
		f.Level = LevelError
		f.Message += "; it hangs: no coordinator will end it any more"
		f.Remedy = fmt.Sprintf("kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic %s --partition %d --start-offset %d",
			shellQuote(p.Topic), p.Partition, t.Start)
	case age >= c.StuckAfter && c.StuckAfter > 0:
		f.Level = LevelWarn
		f.Message += t.endsBy()
	default:
		f.Message += t.endsBy()
	}
	return f
}

// hangs reports whether the transaction never ends by itself (KIP-664): its
// coordinator does not know it, or does not end it when its time is up.
func (t *transaction) hangs(age time.Duration) bool {
	if !t.Listed {
		return false
	}
	underWay := t.State == "Ongoing" || strings.HasPrefix(t.State, "Prepare")
	return age > abortSlack && !underWay || t.Timeout > 0 && age > t.Timeout+abortSlack
}

func (t *transaction) endsBy() string {
	if t.Timeout <= 0 {
		return ""
	}
	return fmt.Sprintf("; its coordinator aborts it %s after its begin, unless its producer ends it", Spell(t.Timeout))
}

// who is who has the transaction.
func (t *transaction) who() string {
	producer := fmt.Sprintf("producer %d (epoch %d)", t.ProducerID, t.ProducerEpoch)
	switch {
	case t.ID != "":
		return fmt.Sprintf("transactional ID %q, %s", t.ID, producer)
	case t.Listed:
		return producer + ", which no coordinator knows"
	}
	return producer
}
