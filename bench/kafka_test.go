package bench

import (
	"os/exec"
	"testing"
	"time"

	"github.com/gapctl/gapctl/internal/kafkatest"
)

// throughputBroker is a broker with the whole JIT, for a test of speed.
func throughputBroker(b *testing.B) *kafkatest.Broker {
	return kafkatest.Start(b, kafkatest.JVM("-XX:TieredStopAtLevel=4"), kafkatest.Heap(1024))
}

// consumerGroups is Kafka's own tool for consumer groups.
func consumerGroups(broker *kafkatest.Broker, args ...string) *exec.Cmd {
	return tool(broker, "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", args...)
}

// tool is a tool of Kafka's, with the JVM as its script starts it.
func tool(broker *kafkatest.Broker, class string, args ...string) *exec.Cmd {
	cmd := broker.Java(class, append([]string{"--bootstrap-server", broker.Addr()}, args...)...)
	kept := cmd.Args[:0]
	for _, arg := range cmd.Args {
		if arg != "-XX:TieredStopAtLevel=1" {
			kept = append(kept, arg)
		}
	}
	cmd.Args = kept
	return cmd
}

// await tries until it works: brokers take a moment for new topics and groups.
func await(b *testing.B, what string, try func() error) {
	b.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			b.Fatalf("%s: %v", what, err)
		}
	}
}
