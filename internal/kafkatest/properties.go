package kafkatest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// properties is the text of server.properties.
func (s *server) properties() string {
	client := "PLAINTEXT://" + s.addr()
	for _, l := range s.settings.listeners {
		client += fmt.Sprintf(",%s://%s", l.name, l.addr())
	}
	quorum := fmt.Sprintf("127.0.0.1:%d", s.controller)
	lines := map[string]string{
		"process.roles":                       "broker,controller",
		"node.id":                             "1",
		"listeners":                           client + ",CONTROLLER://" + quorum,
		"advertised.listeners":                client + ",CONTROLLER://" + quorum,
		"controller.listener.names":           "CONTROLLER",
		"listener.security.protocol.map":      "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL",
		"controller.quorum.bootstrap.servers": quorum,
		"log.dirs":                            s.data(),
		"auto.create.topics.enable":           "false",
		// Soon after a kill, the old registration must lapse before the new one.
		"broker.session.timeout.ms":        "5000",
		"broker.heartbeat.interval.ms":     "500",
		"group.initial.rebalance.delay.ms": "0",
		// Records of a test may be old; half a minute after its start the broker
		// would begin to delete them.
		"log.retention.ms":                                 "-1",
		"group.min.session.timeout.ms":                     "1000",
		"group.consumer.min.session.timeout.ms":            "1000", // of what ConfigureGroup may set
		"group.consumer.min.heartbeat.interval.ms":         "200",
		"offsets.topic.replication.factor":                 "1",
		"offsets.topic.num.partitions":                     "4",
		"transaction.state.log.replication.factor":         "1",
		"transaction.state.log.min.isr":                    "1",
		"transaction.state.log.num.partitions":             "4",
		"share.coordinator.state.topic.replication.factor": "1",
		"share.coordinator.state.topic.min.isr":            "1",
		"share.coordinator.state.topic.num.partitions":     "4",
	}
	maps.Copy(lines, s.settings.properties)
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&text, "%s=%s\n", key, lines[key])
	}
	return text.String()
}

// shareFeature is what formatting takes to allow share groups: 4.1 has them as
// a preview that is off, later releases have them on.
func shareFeature(version string) []string {
	if strings.HasPrefix(version, "4.1.") {
		return []string{"--feature", "share.version=1"}
	}
	return nil
}

// log4jProperties makes a 3.x broker log to its standard error as well; later
// ones log there through slf4j-simple, set up by system properties.
const log4jProperties = `log4j.rootLogger=INFO, err
log4j.logger.org.apache.kafka.common.config=WARN
log4j.appender.err=org.apache.log4j.ConsoleAppender
log4j.appender.err.target=System.err
log4j.appender.err.layout=org.apache.log4j.PatternLayout
log4j.appender.err.layout.ConversionPattern=%d{HH:mm:ss,SSS} [%t] %p %c - %m%n
`
