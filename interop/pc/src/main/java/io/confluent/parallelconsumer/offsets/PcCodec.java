package io.confluent.parallelconsumer.offsets;

import io.github.gapctl.interop.Lines;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the real Parallel Consumer reads from commit metadata, and what it would
 * write. It stands in the library's package because the encoders are visible
 * only there.
 *
 * <p>Each line of standard input gets one line of output.
 * {@code {"committed":N,"metadata":"..."}} is decoded to
 * {@code {"highest":H,"incompletes":[[start,end],...]}}, ends exclusive;
 * {@code {"base":N,"highest":H,"incompletes":[...]}} is encoded to
 * {@code {"encodings":{name:metadata,...},"chosen":metadata}}: all that the
 * library can write, and the one that it would. Otherwise {@code {"error":...}}.
 */
public final class PcCodec {
    private PcCodec() {}

    /** A line of input: to decode when it has metadata, else to encode. */
    private static final class Request {
        long committed;
        String metadata;
        long base;
        long highest;
        long[][] incompletes;
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0 && args[0].equals("bench")) {
            PcCodecBench.main(args);
            return;
        }
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            Lines.print((Object) answer(line));
        }
    }

    private static Map<String, Object> answer(String line) {
        try {
            Request request = Lines.parse(line, Request.class);
            return request.metadata != null ? decode(request) : encode(request);
        } catch (Throwable e) { // hostile metadata may even exhaust the heap
            return Map.of("error", e.toString());
        }
    }

    private static Map<String, Object> decode(Request request) throws Exception {
        var map = OffsetMapCodecManager.deserialiseIncompleteOffsetMapFromBase64(request.committed, request.metadata);
        Map<String, Object> answer = new LinkedHashMap<>();
        map.getHighestSeenOffset().ifPresent(highest -> answer.put("highest", highest));
        answer.put("incompletes", ranges(map.getIncompleteOffsets()));
        return answer;
    }

    private static Map<String, Object> encode(Request request) throws Exception {
        SortedSet<Long> incompletes = offsets(request.incompletes);
        String chosen = OffsetSimpleSerialisation.base64(encoder(request, incompletes, false).packSmallest());
        OffsetSimultaneousEncoder all = encoder(request, incompletes, true);
        Map<String, String> encodings = new LinkedHashMap<>();
        for (var entry : all.getEncodingMap().entrySet()) {
            var pair = new EncodedOffsetPair(entry.getKey(), ByteBuffer.wrap(entry.getValue()));
            encodings.put(entry.getKey().name(), OffsetSimpleSerialisation.base64(all.packEncoding(pair)));
        }
        return Map.of("encodings", encodings, "chosen", chosen);
    }

    /** An encoder that has run; the library compresses small maps only when forced. */
    private static OffsetSimultaneousEncoder encoder(Request request, SortedSet<Long> incompletes, boolean compress) {
        OffsetSimultaneousEncoder.compressionForced = compress;
        return new OffsetSimultaneousEncoder(request.base, request.highest, incompletes).invoke();
    }

    static SortedSet<Long> offsets(long[][] ranges) {
        SortedSet<Long> offsets = new TreeSet<>();
        for (long[] range : ranges) {
            for (long offset = range[0]; offset < range[1]; offset++) {
                offsets.add(offset);
            }
        }
        return offsets;
    }

    private static List<long[]> ranges(SortedSet<Long> offsets) {
        List<long[]> ranges = new ArrayList<>();
        for (long offset : offsets) {
            long[] last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
            if (last != null && last[1] == offset) {
                last[1]++;
            } else {
                ranges.add(new long[] {offset, offset + 1});
            }
        }
        return ranges;
    }
}
