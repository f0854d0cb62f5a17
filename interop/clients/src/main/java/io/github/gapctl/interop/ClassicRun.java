package io.github.gapctl.interop;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A plain consumer that tells what happens to it, one line an event: assigned,
 * revoked, lost (with partitions); starts (the offset from which it reads a
 * partition that it got); record (when asked); committed and commit-failed;
 * died; closed.
 *
 * <p>Arguments: bootstrap, group, topics; protocol (classic, consumer); assignor
 * (range, roundrobin, sticky, cooperative-sticky), for classic only; instance, a
 * static member's ID; session, its timeout in milliseconds, for classic only;
 * commit-every N records (0: never) with metadata; records (true, false);
 * limit. It runs until the limit or SIGTERM.
 */
public final class ClassicRun implements ConsumerRebalanceListener {
    private static final Map<String, String> ASSIGNORS = Map.of(
        "range", "org.apache.kafka.clients.consumer.RangeAssignor",
        "roundrobin", "org.apache.kafka.clients.consumer.RoundRobinAssignor",
        "sticky", "org.apache.kafka.clients.consumer.StickyAssignor",
        "cooperative-sticky", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");

    private final Args args;
    private final long commitEvery;
    private final boolean printRecords;
    private final Set<TopicPartition> fresh = new HashSet<>(); // assigned, start not told yet
    private final Map<TopicPartition, OffsetAndMetadata> pending = new HashMap<>();
    private long uncommitted;

    private ClassicRun(Args args) {
        this.args = args;
        this.commitEvery = args.number("commit-every", 0);
        this.printRecords = args.get("records", "false").equals("true");
    }

    public static void main(String[] argv) {
        Guard.haltWhenAbandoned();
        Guard.stopOnSignal();
        int status = 1;
        try {
            new ClassicRun(new Args(argv)).run();
            Lines.print("event", "closed");
            status = 0;
        } catch (Throwable e) {
            Lines.print("event", "died", "error", e.toString());
            e.printStackTrace();
        }
        Guard.exit(status);
    }

    private void run() {
        long deadline = System.nanoTime() + args.number("limit", 120_000) * 1_000_000;
        try (var consumer = new KafkaConsumer<>(config(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(args.list("topics"), this);
            while (!Guard.stopRequested() && System.nanoTime() < deadline) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                tellStarts(consumer, records);
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    take(consumer, record);
                }
            }
            commit(consumer);
        }
    }

    private void take(KafkaConsumer<?, ?> consumer, ConsumerRecord<?, ?> record) {
        if (printRecords) {
            Lines.print("event", "record", "topic", record.topic(), "partition", record.partition(),
                "offset", record.offset());
        }
        if (commitEvery == 0) {
            return;
        }
        pending.put(new TopicPartition(record.topic(), record.partition()),
            new OffsetAndMetadata(record.offset() + 1, args.get("metadata", "")));
        if (++uncommitted >= commitEvery) {
            commit(consumer);
        }
    }

    private void commit(KafkaConsumer<?, ?> consumer) {
        if (pending.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(pending);
            pending.forEach((partition, commit) -> Lines.print("event", "committed",
                "topic", partition.topic(), "partition", partition.partition(), "offset", commit.offset()));
        } catch (RuntimeException e) {
            Lines.print("event", "commit-failed", "error", e.toString());
        }
        pending.clear();
        uncommitted = 0;
    }

    private void tellStarts(KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : fresh) {
            var first = records.records(partition);
            long offset = first.isEmpty() ? consumer.position(partition) : first.get(0).offset();
            Lines.print("event", "starts", "topic", partition.topic(), "partition", partition.partition(),
                "offset", offset);
        }
        fresh.clear();
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        tell("assigned", partitions);
        fresh.addAll(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        tell("revoked", partitions);
        forget(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        tell("lost", partitions);
        forget(partitions);
    }

    private void forget(Collection<TopicPartition> partitions) {
        fresh.removeAll(partitions);
        partitions.forEach(pending::remove);
    }

    private static void tell(String event, Collection<TopicPartition> partitions) {
        List<String> names = partitions.stream().map(p -> p.topic() + "/" + p.partition()).sorted().toList();
        Lines.print("event", event, "partitions", names);
    }

    private Map<String, Object> config() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", args.get("bootstrap"));
        config.put("group.id", args.get("group"));
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        String protocol = args.get("protocol", "classic");
        config.put("group.protocol", protocol);
        if (!args.get("instance", "").isEmpty()) {
            config.put("group.instance.id", args.get("instance"));
        }
        if (protocol.equals("classic")) { // the broker decides these for the other
            String assignor = args.get("assignor", "range");
            config.put("partition.assignment.strategy", ASSIGNORS.get(assignor));
            config.put("session.timeout.ms", args.get("session", "6000"));
            config.put("heartbeat.interval.ms", "500");
        }
        return config;
    }
}
