package io.github.gapctl.interop;

import io.confluent.parallelconsumer.offsets.OffsetMapCodecManager;
import io.confluent.parallelconsumer.offsets.OffsetMapCodecManager.HighestOffsetAndIncompletes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The records processed so far, and whether the group's commit holds them. */
final class Successes {
    private static final long PATIENCE_MS = 10_000;

    private final Map<TopicPartition, Set<Long>> offsets = new ConcurrentHashMap<>();

    void add(String topic, int partition, long offset) {
        offsets.computeIfAbsent(new TopicPartition(topic, partition), key -> ConcurrentHashMap.newKeySet())
            .add(offset);
    }

    long count() {
        return offsets.values().stream().mapToLong(Set::size).sum();
    }

    /**
     * Waits until the commit holds every success and returns how many it lacks
     * when patience ends: more than none when the map did not fit in the metadata.
     */
    long awaitCommit(String bootstrap, String group) throws Exception {
        long deadline = System.currentTimeMillis() + PATIENCE_MS;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            while (true) {
                long missing = missing(committed(admin, group));
                if (missing == 0 || System.currentTimeMillis() > deadline) {
                    return missing;
                }
                Thread.sleep(100);
            }
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin, String group) throws Exception {
        var stable = new ListConsumerGroupOffsetsOptions().requireStable(true);
        return new HashMap<>(admin.listConsumerGroupOffsets(group, stable).partitionsToOffsetAndMetadata().get());
    }

    private long missing(Map<TopicPartition, OffsetAndMetadata> committed) throws Exception {
        long missing = 0;
        for (var entry : offsets.entrySet()) {
            OffsetAndMetadata commit = committed.get(entry.getKey());
            if (commit == null) {
                missing += entry.getValue().size();
                continue;
            }
            HighestOffsetAndIncompletes map = commit.metadata().isEmpty()
                ? HighestOffsetAndIncompletes.of(commit.offset() - 1)
                : OffsetMapCodecManager.deserialiseIncompleteOffsetMapFromBase64(commit.offset(), commit.metadata());
            long highest = map.getHighestSeenOffset().orElse(commit.offset() - 1);
            missing += entry.getValue().stream()
                .filter(offset -> offset >= commit.offset())
                .filter(offset -> offset > highest || map.getIncompleteOffsets().contains(offset))
                .count();
        }
        return missing;
    }
}
