package io.github.gapctl.interop;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** One JSON object a line, on standard output, from any thread. */
public final class Lines {
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Lines() {}

    /** Prints one object: names and values in turn. */
    public static void print(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        print((Object) object);
    }

    /** Prints one value as JSON. */
    public static void print(Object value) {
        OUT.println(GSON.toJson(value));
    }

    /** Reads one line as JSON. */
    public static <T> T parse(String line, Class<T> type) {
        return GSON.fromJson(line, type);
    }
}
