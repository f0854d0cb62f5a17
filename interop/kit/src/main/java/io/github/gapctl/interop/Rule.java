package io.github.gapctl.interop;

import java.util.Set;

/**
 * Which records a program treats specially: {@code none}, {@code all}, {@code
 * mod:N} (offsets divisible by N), {@code mod:N:R} (offsets that leave R), or
 * {@code list:topic:partition:offset,...}.
 */
public interface Rule {
    boolean matches(String topic, int partition, long offset);

    static Rule parse(String text) {
        String[] parts = text.split(":", 2);
        switch (parts[0]) {
            case "none":
                return (topic, partition, offset) -> false;
            case "all":
                return (topic, partition, offset) -> true;
            case "mod":
                String[] numbers = parts[1].split(":");
                long divisor = Long.parseLong(numbers[0]);
                long rest = numbers.length > 1 ? Long.parseLong(numbers[1]) : 0;
                return (topic, partition, offset) -> offset % divisor == rest;
            case "list":
                Set<String> listed = Set.of(parts[1].split(","));
                return (topic, partition, offset) -> listed.contains(topic + ":" + partition + ":" + offset);
            default:
                throw new IllegalArgumentException("not a rule: " + text);
        }
    }
}
