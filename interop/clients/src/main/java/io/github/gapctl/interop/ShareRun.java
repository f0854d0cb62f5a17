package io.github.gapctl.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Runs the real share consumer with explicit acknowledgement and prints one line
 * for each acknowledgement that the broker has taken.
 *
 * <p>Arguments: bootstrap, group, topics; reject and release, each a {@link
 * Rule}, the rest is accepted; until, which is idle (the broker gives up a
 * record that is released again and again) or covered (each record that was
 * there at the start has been acknowledged once, so released ones stay
 * available); idle and limit.
 */
public final class ShareRun {
    private final Args args;
    private final Idle idle;
    private final Rule reject;
    private final Rule release;
    private final Set<String> uncovered = new HashSet<>();
    private long acks;

    private ShareRun(Args args) {
        this.args = args;
        this.idle = new Idle(args);
        this.reject = Rule.parse(args.get("reject", "none"));
        this.release = Rule.parse(args.get("release", "none"));
    }

    public static void main(String[] argv) throws Exception {
        Guard.haltWhenAbandoned();
        Guard.stopOnSignal();
        int status = 1;
        try {
            new ShareRun(new Args(argv)).run();
            status = 0;
        } catch (Throwable e) {
            e.printStackTrace();
        }
        Guard.exit(status);
    }

    private void run() throws Exception {
        prepare();
        boolean untilCovered = args.get("until", "idle").equals("covered");
        try (var consumer = new KafkaShareConsumer<>(config(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(args.list("topics"));
            while (!idle.over() && !(untilCovered && uncovered.isEmpty())) {
                acknowledge(consumer);
            }
        }
        Lines.print("done", true, "acks", acks, "uncovered", uncovered.size());
    }

    /** Lets the group begin at the beginning, and notes what there is to cover. */
    private void prepare() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", args.get("bootstrap")))) {
            var group = new ConfigResource(ConfigResource.Type.GROUP, args.get("group"));
            var earliest = new AlterConfigOp(
                new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(group, List.of(earliest))).all().get();

            Map<TopicPartition, OffsetSpec> earliestOf = new HashMap<>();
            Map<TopicPartition, OffsetSpec> latestOf = new HashMap<>();
            for (var topic : admin.describeTopics(args.list("topics")).allTopicNames().get().values()) {
                topic.partitions().forEach(partition -> {
                    earliestOf.put(new TopicPartition(topic.name(), partition.partition()), OffsetSpec.earliest());
                    latestOf.put(new TopicPartition(topic.name(), partition.partition()), OffsetSpec.latest());
                });
            }
            var starts = admin.listOffsets(earliestOf).all().get();
            var ends = admin.listOffsets(latestOf).all().get();
            ends.forEach((partition, end) -> {
                for (long offset = starts.get(partition).offset(); offset < end.offset(); offset++) {
                    uncovered.add(id(partition.topic(), partition.partition(), offset));
                }
            });
        }
    }

    private void acknowledge(KafkaShareConsumer<byte[], byte[]> consumer) {
        List<Object[]> lines = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
            AcknowledgeType type = decide(record);
            consumer.acknowledge(record, type);
            uncovered.remove(id(record.topic(), record.partition(), record.offset()));
            lines.add(new Object[] {
                "topic", record.topic(), "partition", record.partition(), "offset", record.offset(),
                "type", type.toString(), "delivery_count", record.deliveryCount().orElse((short) 0)});
        }
        if (lines.isEmpty()) {
            return;
        }
        consumer.commitSync().forEach((partition, error) -> error.ifPresent(e -> {
            throw new IllegalStateException("acknowledging " + partition, e);
        }));
        lines.forEach(Lines::print);
        acks += lines.size();
        idle.progress();
    }

    private AcknowledgeType decide(ConsumerRecord<?, ?> record) {
        if (reject.matches(record.topic(), record.partition(), record.offset())) {
            return AcknowledgeType.REJECT;
        }
        boolean back = release.matches(record.topic(), record.partition(), record.offset());
        return back ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT;
    }

    private Map<String, Object> config() {
        return Map.of(
            "bootstrap.servers", args.get("bootstrap"),
            "group.id", args.get("group"),
            "share.acknowledgement.mode", "explicit");
    }

    private static String id(String topic, int partition, long offset) {
        return topic + ":" + partition + ":" + offset;
    }
}
