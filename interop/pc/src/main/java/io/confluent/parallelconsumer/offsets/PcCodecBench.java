package io.confluent.parallelconsumer.offsets;

import io.github.gapctl.interop.Lines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long the real Parallel Consumer takes to decode a state, once warm.
 *
 * <p>Arguments: bench, a file of lines with "committed", "metadata" and
 * "encoding", and optionally the milliseconds to warm up and then to measure
 * each encoding (1000). Prints a line for each encoding and one, "all", for the
 * whole file.
 */
final class PcCodecBench {
    private static final class State {
        long committed;
        String metadata;
        String encoding;
    }

    private static long sink; // keeps the decoding from being optimised away

    private PcCodecBench() {}

    static void main(String[] args) throws Exception {
        long millis = args.length > 2 ? Long.parseLong(args[2]) : 1_000;
        Map<String, List<State>> groups = new TreeMap<>();
        List<State> all = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[1]))) {
            State state = Lines.parse(line, State.class);
            groups.computeIfAbsent(state.encoding, key -> new ArrayList<>()).add(state);
            all.add(state);
        }
        groups.put("all", all);
        for (var group : groups.entrySet()) {
            decodeFor(group.getValue(), millis);
            double nanos = decodeFor(group.getValue(), millis);
            Lines.print("encoding", group.getKey(), "states", group.getValue().size(), "ns_per_state", nanos);
        }
        if (sink == 42) {
            System.err.println(sink);
        }
    }

    /** Decodes all states again and again, and returns the mean nanoseconds for one. */
    private static double decodeFor(List<State> states, long millis) throws Exception {
        long started = System.nanoTime();
        long rounds = 0;
        long elapsed;
        do {
            for (State state : states) {
                sink += OffsetMapCodecManager
                    .deserialiseIncompleteOffsetMapFromBase64(state.committed, state.metadata)
                    .getIncompleteOffsets().size();
            }
            rounds++;
            elapsed = System.nanoTime() - started;
        } while (elapsed < millis * 1_000_000);
        return (double) elapsed / (rounds * states.size());
    }
}
