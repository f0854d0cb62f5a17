package io.confluent.parallelconsumer.offsets;

import io.github.gapctl.interop.Lines;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.Callable;

/**
 * How long the real Parallel Consumer takes to decode and to write states, once
 * warm.
 *
 * <p>Arguments: bench, and the milliseconds to warm up and then, once all are
 * warm, to measure each name. Each line of standard input is a piece of work:
 * {@code {"name":..,"committed":N,"metadata":".."}} to decode, or
 * {@code {"name":..,"committed":N,"highest":H,"incompletes":[[start,end],..]}} to
 * write as the library does, all its encodings and then the smallest, or with
 * {@code "encoding"} in that one alone. Work of one name is measured together, and
 * gets one line: the mean CPU time for a state in nanoseconds, and the characters of the last
 * one written.
 */
final class PcCodecBench {
    private static final class Work {
        String name;
        long committed;
        String metadata;
        long highest;
        long[][] incompletes;
        String encoding;
    }

    private static long sink; // keeps the work from being optimised away

    private PcCodecBench() {}

    static void main(String[] args) throws Exception {
        long millis = Long.parseLong(args[1]);
        Map<String, List<Callable<Integer>>> groups = new LinkedHashMap<>();
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            Work work = Lines.parse(line, Work.class);
            groups.computeIfAbsent(work.name, key -> new ArrayList<>()).add(task(work));
        }
        for (var tasks : groups.values()) {
            repeat(tasks, millis);
        }
        for (var group : groups.entrySet()) {
            double nanos = repeat(group.getValue(), millis);
            int last = group.getValue().get(group.getValue().size() - 1).call();
            Lines.print("name", group.getKey(), "ns", nanos, "size", last);
        }
        if (sink == 42) {
            System.err.println(sink);
        }
    }

    /** Does everything again and again, and returns the mean CPU time for one. */
    private static double repeat(List<Callable<Integer>> tasks, long millis) throws Exception {
        long started = cpuNanos();
        long rounds = 0;
        long elapsed;
        do {
            for (Callable<Integer> task : tasks) {
                sink += task.call();
            }
            rounds++;
            elapsed = cpuNanos() - started;
        } while (elapsed < millis * 1_000_000);
        return (double) elapsed / (rounds * tasks.size());
    }

    /** What this thread has had: neither the compiler's and the collector's, nor that of other programs. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Callable<Integer> task(Work work) throws Exception {
        if (work.metadata != null) {
            return () -> OffsetMapCodecManager
                .deserialiseIncompleteOffsetMapFromBase64(work.committed, work.metadata)
                .getIncompleteOffsets().size();
        }
        SortedSet<Long> incompletes = PcCodec.offsets(work.incompletes);
        if (work.encoding == null) {
            return () -> OffsetSimpleSerialisation.base64(
                new OffsetSimultaneousEncoder(work.committed, work.highest, incompletes).invoke().packSmallest()).length();
        }
        OffsetEncoding encoding = OffsetEncoding.valueOf(work.encoding);
        var all = new OffsetSimultaneousEncoder(work.committed, work.highest, incompletes);
        return () -> OffsetSimpleSerialisation.base64(
            all.packEncoding(new EncodedOffsetPair(encoding, ByteBuffer.wrap(one(encoding, all, work, incompletes))))).length();
    }

    /** Writes in one encoding, offset by offset as OffsetSimultaneousEncoder does. */
    private static byte[] one(
            OffsetEncoding encoding, OffsetSimultaneousEncoder all, Work work, SortedSet<Long> incompletes) throws Exception {
        long length = work.highest - work.committed + 1;
        OffsetEncoder encoder = encoding.name().startsWith("BitSet")
            ? new BitSetEncoder(length, all, encoding.version)
            : new RunLengthEncoder(all, encoding.version);
        for (long at = 0; at < length; at++) {
            if (incompletes.contains(work.committed + at)) {
                encoder.encodeIncompleteOffset(at);
            } else {
                encoder.encodeCompletedOffset(at);
            }
        }
        byte[] body = encoder.serialise();
        return encoding.name().endsWith("Compressed") ? encoder.compress() : body;
    }
}
