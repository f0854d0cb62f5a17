package io.github.gapctl.interop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A program's arguments, all of the form {@code --name value}. */
public final class Args {
    private final Map<String, String> values = new HashMap<>();

    public Args(String[] args) {
        if (args.length % 2 != 0) {
            throw new IllegalArgumentException("arguments come in pairs: --name value");
        }
        for (int i = 0; i < args.length; i += 2) {
            if (!args[i].startsWith("--")) {
                throw new IllegalArgumentException("not an option: " + args[i]);
            }
            values.put(args[i].substring(2), args[i + 1]);
        }
    }

    /** The value, which must have been given. */
    public String get(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " is missing");
        }
        return value;
    }

    public String get(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public long number(String name, long otherwise) {
        String value = values.get(name);
        return value == null ? otherwise : Long.parseLong(value);
    }

    /** The comma-separated values. */
    public List<String> list(String name) {
        return List.of(get(name).split(","));
    }
}
