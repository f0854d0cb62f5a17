package io.github.gapctl.interop;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

/**
 * Tells what the producer does with keys, one line a key: the key in base64, its
 * hash, and its partition for each number of partitions. With a topic, the keys
 * are really sent, and the partition and offset that each got are told too.
 *
 * <p>Arguments: seed; count of keys; partitions, numbers of them; topic and
 * bootstrap, to send.
 */
public final class KeyRun {
    private static final String[] SPECIAL = {"", "0", "a", "ab", "abc", "abcd", "abcde", "customer-17", "\u00e4\u00f6\u00fc", "\ud83d\ude80"};
    private static final int LONGEST = 64;

    private KeyRun() {}

    public static void main(String[] argv) throws Exception {
        Args args = new Args(argv);
        List<byte[]> keys = keys(args.number("seed", 1), (int) args.number("count", 100));
        List<RecordMetadata> sent = args.get("topic", "").isEmpty() ? null : send(args, keys);
        for (int i = 0; i < keys.size(); i++) {
            tell(keys.get(i), args.list("partitions"), sent == null ? null : sent.get(i));
        }
    }

    private static List<byte[]> keys(long seed, int count) {
        Random random = new Random(seed);
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (i < SPECIAL.length) {
                keys.add(SPECIAL[i].getBytes(StandardCharsets.UTF_8));
                continue;
            }
            byte[] key = new byte[random.nextInt(LONGEST)];
            random.nextBytes(key);
            keys.add(key);
        }
        return keys;
    }

    private static List<RecordMetadata> send(Args args, List<byte[]> keys) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", args.get("bootstrap"), "acks", "all");
        List<Future<RecordMetadata>> futures = new ArrayList<>();
        try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < keys.size(); i++) {
                byte[] value = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
                futures.add(producer.send(new ProducerRecord<>(args.get("topic"), keys.get(i), value)));
            }
        }
        List<RecordMetadata> sent = new ArrayList<>();
        for (Future<RecordMetadata> future : futures) {
            sent.add(future.get());
        }
        return sent;
    }

    private static void tell(byte[] key, List<String> counts, RecordMetadata sent) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("key", Base64.getEncoder().encodeToString(key));
        line.put("hash", Utils.toPositive(Utils.murmur2(key)));
        Map<String, Integer> partitions = new LinkedHashMap<>();
        for (String count : counts) {
            partitions.put(count, BuiltInPartitioner.partitionForKey(key, Integer.parseInt(count)));
        }
        line.put("partitions", partitions);
        if (sent != null) {
            line.put("sent", Map.of("partition", sent.partition(), "offset", sent.offset()));
        }
        Lines.print(line);
    }
}
