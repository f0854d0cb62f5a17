package cmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/gapctl/gapctl/gapstore"
	"github.com/gapctl/gapctl/inspect"
)

func (a *app) contextTestCommand() *cobra.Command {
	var o output
	var timeout string
	cmd := &cobra.Command{
		Use:   "test [CONTEXT]",
		Short: "connect, and say what one may do there",
		Long: `test connects with a context, or with the current one, and says who one is there
and which rights of the cluster one has. It changes nothing. When it can not
connect, the exit status says why.`,
		Example: `  gapctl context test
  gapctl context test prod
  gapctl context test prod -o json`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: related("gapctl context show, gapctl list"),
	}
	cmd.RunE = a.running(func(ctx context.Context, args []string) error {
		print, err := a.printer(o)
		if err != nil {
			return err
		}
		name, err := a.contextNamed(args)
		if err != nil {
			return err
		}
		v, err := a.tryContext(ctx, &connection{context: name, timeout: timeout})
		if err != nil {
			return err
		}
		return print(v)
	})
	o.bind(cmd)
	cmd.Flags().StringVar(&timeout, "timeout", "", "give up after `DURATION`, such as 30s or PT30S (default "+defaultTimeout.String()+")")
	return cmd
}

// tryContext connects, and asks what one may do.
func (a *app) tryContext(ctx context.Context, c *connection) (contextTestView, error) {
	v := contextTestView{Head: inspect.Head{Kind: "context-test", SchemaVersion: inspect.SchemaVersion}, Name: c.context}
	dial, err := a.dial(ctx, c)
	if err != nil {
		return v, err
	}
	ctx, cancel, err := a.limited(ctx, c)
	if err != nil {
		return v, err
	}
	defer cancel()
	client, err := dial()
	if err != nil {
		return v, err
	}
	defer client.Close()
	cluster, err := describeCluster(ctx, client)
	if err != nil {
		return v, causeOf(ctx, gapstore.Classify("connect", err))
	}
	v.ClusterID, v.Brokers, v.Principal = cluster.ClusterID, len(cluster.Brokers), inspect.Name(a.principal)
	v.Rights = []rightView{
		rightOf(cluster, "describe", kmsg.ACLOperationDescribe, "list every group, and not just those that one may describe"),
		rightOf(cluster, "cluster-action", kmsg.ACLOperationClusterAction, "read the state of share groups from their coordinator"),
	}
	return v, nil
}

func describeCluster(ctx context.Context, client *kgo.Client) (*kmsg.DescribeClusterResponse, error) {
	req := kmsg.NewPtrDescribeClusterRequest()
	req.IncludeClusterAuthorizedOperations = true
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	return resp, kerr.ErrorForCode(resp.ErrorCode)
}

// rightOf is whether the bit of a right is set (KIP-430). A cluster tells only
// those who may describe it.
func rightOf(cluster *kmsg.DescribeClusterResponse, name string, right kmsg.ACLOperation, use string) rightView {
	r := rightView{Right: name, Use: use}
	granted := cluster.ClusterAuthorizedOperations&(1<<right) != 0
	if cluster.ClusterAuthorizedOperations != 0 || right == kmsg.ACLOperationDescribe {
		r.Granted = &granted
	}
	return r
}

// grantedText is yes, no, or unknown.
func (r rightView) grantedText() string {
	switch {
	case r.Granted == nil:
		return "unknown"
	case *r.Granted:
		return "yes"
	}
	return "no"
}

// contextTestView is what a context leads to.
type contextTestView struct {
	inspect.Head
	Name      string       `json:"name"`
	ClusterID string       `json:"cluster_id"`
	Brokers   int          `json:"brokers"`
	Principal inspect.Name `json:"principal"`
	Rights    []rightView  `json:"cluster_rights"`
}

type rightView struct {
	Right   string `json:"right"`
	Granted *bool  `json:"granted"` // null: the cluster does not tell
	Use     string `json:"use"`
}

// Tables is one row per thing that was found out.
func (v contextTestView) Tables(inspect.Layout) []inspect.Table {
	columns := []inspect.Column{{Name: "WHAT"}, {Name: "ANSWER"}, {Name: "WHAT-FOR"}}
	return []inspect.Table{{Columns: columns, Rows: func(yield func([]inspect.Cell) bool) {
		who := string(v.Principal)
		if who == "" {
			who = "nobody in particular"
		}
		rows := [][]inspect.Cell{
			cells("cluster", v.ClusterID, ""), cells("brokers", strconv.Itoa(v.Brokers), ""), cells("connected as", who, ""),
		}
		for _, r := range v.Rights {
			rows = append(rows, cells("right "+r.Right, r.grantedText(), r.Use))
		}
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}}}
}
