package kafkatest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// mirrorVersion is the latest that there is of MirrorMaker.
const mirrorVersion = "4.3.1"

// MirrorMaker is the command that copies the topic to another of this broker,
// named "alias.topic", with Apache Kafka's MirrorMaker 2 (KIP-382); it goes on
// for ever. It copies at least once, one task for each partition, and does
// nothing else.
func (b *Broker) MirrorMaker(topic, alias string) *exec.Cmd {
	b.t.Helper()
	built, err := build("mirror", mirrorVersion)
	if err != nil {
		unavailable(b.t, err)
	}
	file := filepath.Join(b.t.TempDir(), "mirror.properties")
	if err := os.WriteFile(file, fmt.Appendf(nil, mirrorProperties, alias, b.Addr(), topic), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return exec.CommandContext(b.t.Context(), "java", "-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", built.classpath(), "org.apache.kafka.connect.mirror.MirrorMaker", file)
}

// mirrorProperties take the alias, the address and the topic.
const mirrorProperties = `clusters = %[1]s, to
%[1]s.bootstrap.servers = %[2]s
to.bootstrap.servers = %[2]s
%[1]s->to.enabled = true
%[1]s->to.topics = %[3]s
to->%[1]s.enabled = false
tasks.max = 4
emit.heartbeats.enabled = false
emit.checkpoints.enabled = false
sync.topic.acls.enabled = false
replication.factor = 1
offset-syncs.topic.replication.factor = 1
checkpoints.topic.replication.factor = 1
heartbeats.topic.replication.factor = 1
config.storage.replication.factor = 1
offset.storage.replication.factor = 1
status.storage.replication.factor = 1
offset.storage.partitions = 1
status.storage.partitions = 1
%[1]s.consumer.auto.offset.reset = earliest
%[1]s.consumer.max.poll.records = 5000
to.producer.batch.size = 262144
to.producer.linger.ms = 5
`
