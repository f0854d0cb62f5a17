package bench

import (
	"os/exec"
	"testing"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// BenchmarkResetPlan plans a reset of 1,000 partitions.
func BenchmarkResetPlan(b *testing.B) {
	broker := throughputBroker(b)
	commitGaps(b, broker, 1, 1000)
	gapctl := program(b, "github.com/gapctl/gapctl")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd {
			return exec.Command(gapctl, "reset", "group-000", "--to-offset", "1000", "-b", broker.Addr())
		}},
		{name: "kafka-consumer-groups", command: func() *exec.Cmd {
			return consumerGroups(broker, "--reset-offsets", "--to-offset", "1000", "--group", "group-000", "--all-topics", "--dry-run")
		}},
	}
	inTurn(b, contenders...)
	report(b, contenders...)
}

// BenchmarkDescribeShare describes a share group that holds records out of order.
func BenchmarkDescribeShare(b *testing.B) {
	broker := throughputBroker(b)
	broker.NeedVersion(4, 1)
	broker.CreateTopic("orders", 3, nil)
	broker.Fill("orders", 3, 1000)
	broker.RunShare(kafkatest.ShareOptions{Group: "share", Topics: []string{"orders"}, Release: kafkatest.Every(3), Reject: kafkatest.Every(5)})
	gapctl := program(b, "github.com/gapctl/gapctl")
	contenders := []*contender{
		{name: "gapctl", command: func() *exec.Cmd { return exec.Command(gapctl, "describe", "share", "-b", broker.Addr()) }},
		{name: "kafka-share-groups", command: func() *exec.Cmd {
			return tool(broker, "org.apache.kafka.tools.consumer.group.ShareGroupCommand", "--describe", "--group", "share")
		}},
	}
	inTurn(b, contenders...)
	report(b, contenders...)
}
