package io.github.gapctl.interop;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Formats the log directory when it is new, then runs the broker, in one JVM:
 * the storage tool in a JVM of its own would take as long again as the start.
 *
 * <p>Arguments: server.properties, log directory, then what {@code kafka-storage
 * format} takes besides the configuration.
 */
public final class Broker {
    private Broker() {}

    public static void main(String[] args) {
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
        kafka.Kafka.main(new String[] {config});
    }
}
