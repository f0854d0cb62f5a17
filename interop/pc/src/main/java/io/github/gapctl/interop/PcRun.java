package io.github.gapctl.interop;

import io.confluent.parallelconsumer.PCRetriableException;
import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.RecordContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Runs the real Parallel Consumer until it has seen everything, with records
 * that fail for ever, and prints one line for each record it processed.
 *
 * <p>Arguments: bootstrap, group, topics; order (unordered, key, partition);
 * commit (async, sync, transaction) and for transaction output, the topic that
 * gets a copy of each record; fail, a {@link Rule}; work, the milliseconds that
 * each record takes; idle and limit. The last line, {@code {"done":true,...}}, comes after the last commit: "uncommitted"
 * counts successes that the group's commit, as Parallel Consumer itself reads
 * it, does not hold.
 */
public final class PcRun {
    private final Args args;
    private final Idle idle;
    private final Rule fail;
    private final long work; // nanoseconds
    private final Successes successes = new Successes();
    private final ParallelStreamProcessor<byte[], byte[]> processor;

    private PcRun(Args args) {
        this.args = args;
        this.idle = new Idle(args);
        this.fail = Rule.parse(args.get("fail", "none"));
        this.work = args.number("work", 0) * 1_000_000;
        this.processor = ParallelStreamProcessor.createEosStreamProcessor(options());
    }

    public static void main(String[] argv) throws Exception {
        Guard.haltWhenAbandoned();
        Guard.stopOnSignal();
        int status = 1;
        try {
            status = new PcRun(new Args(argv)).run();
        } catch (Throwable e) {
            e.printStackTrace();
        }
        Guard.exit(status);
    }

    private int run() throws Exception {
        processor.subscribe(args.list("topics"));
        if (transactional()) {
            String output = args.get("output");
            processor.pollAndProduce(
                context -> {
                    RecordContext<byte[], byte[]> record = context.getSingleRecord();
                    attempt(record);
                    return new ProducerRecord<>(output, record.key(), record.value());
                },
                result -> succeeded(result.getIn().getSingleRecord()));
        } else {
            processor.poll(context -> {
                attempt(context.getSingleRecord());
                succeeded(context.getSingleRecord());
            });
        }
        while (!idle.over() && !processor.isClosedOrFailed()) {
            Thread.sleep(20);
        }
        boolean closed = close();
        long uncommitted = successes.awaitCommit(args.get("bootstrap"), args.get("group"));
        Lines.print("done", true, "succeeded", successes.count(), "uncommitted", uncommitted, "closed", closed);
        return 0;
    }

    private void attempt(RecordContext<byte[], byte[]> record) {
        idle.begun();
        LockSupport.parkNanos(work);
        if (fail.matches(record.topic(), record.partition(), record.offset())) {
            throw new PCRetriableException("fails for ever");
        }
    }

    private void succeeded(RecordContext<byte[], byte[]> record) {
        successes.add(record.topic(), record.partition(), record.offset());
        Lines.print("topic", record.topic(), "partition", record.partition(), "offset", record.offset());
        idle.progress();
    }

    /** Closes, which commits; with records that keep failing that may never return. */
    private boolean close() throws InterruptedException {
        Thread closing = new Thread(processor::closeDontDrainFirst);
        closing.setDaemon(true);
        closing.start();
        closing.join(15_000);
        return !closing.isAlive();
    }

    private boolean transactional() {
        return args.get("commit", "async").equals("transaction");
    }

    private ParallelConsumerOptions<byte[], byte[]> options() {
        var builder = ParallelConsumerOptions.<byte[], byte[]>builder()
            .consumer(new KafkaConsumer<>(consumerConfig(), new ByteArrayDeserializer(), new ByteArrayDeserializer()))
            .ordering(ProcessingOrder.valueOf(args.get("order", "unordered").toUpperCase(Locale.ROOT)))
            .commitInterval(Duration.ofMillis(200))
            .defaultMessageRetryDelay(Duration.ofMillis(200))
            .maxConcurrency(8);
        if (transactional()) {
            return builder.commitMode(CommitMode.PERIODIC_TRANSACTIONAL_PRODUCER)
                .producer(new KafkaProducer<>(producerConfig(), new ByteArraySerializer(), new ByteArraySerializer()))
                .build();
        }
        boolean sync = args.get("commit", "async").equals("sync");
        return builder
            .commitMode(sync ? CommitMode.PERIODIC_CONSUMER_SYNC : CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
            .build();
    }

    private Map<String, Object> consumerConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", args.get("bootstrap"));
        config.put("group.id", args.get("group"));
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        config.put("session.timeout.ms", "6000"); // a member that couldn't leave is soon gone
        config.put("heartbeat.interval.ms", "1000");
        return config;
    }

    private Map<String, Object> producerConfig() {
        return Map.of(
            "bootstrap.servers", args.get("bootstrap"),
            "transactional.id", args.get("group") + "-pc",
            "enable.idempotence", "true");
    }
}
