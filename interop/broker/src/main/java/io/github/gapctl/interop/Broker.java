package io.github.gapctl.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Utils;

/**
 * Formats the log directory when it is new, then runs the broker, in one JVM:
 * the storage tool in a JVM of its own would take as long again as the start.
 *
 * <p>Arguments: server.properties, log directory, then what {@code kafka-storage
 * format} takes besides the configuration. The property
 * {@code wrong.clock} names a file with the seconds by which the clock is wrong.
 */
public final class Broker {
    private Broker() {}

    public static void main(String[] args) throws IOException {
        Guard.haltWhenAbandoned();
        String config = args[0];
        if (!Files.exists(Path.of(args[1], "meta.properties"))) {
            List<String> format = new ArrayList<>(List.of("format", "-c", config));
            format.addAll(List.of(args).subList(2, args.length));
            int status = kafka.tools.StorageTool.execute(format.toArray(String[]::new), System.err);
            if (status != 0) {
                Runtime.getRuntime().halt(status);
            }
        }
        String clock = System.getProperty("wrong.clock");
        if (clock == null) {
            kafka.Kafka.main(new String[] {config});
        } else {
            run(config, new WrongClock(Path.of(clock)));
        }
    }

    /** Does what {@code kafka.Kafka} does, with a clock of ours. */
    private static void run(String config, WrongClock clock) throws IOException {
        KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(Utils.loadProps(config), false), clock);
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        server.startup();
        server.awaitShutdown();
    }
}
