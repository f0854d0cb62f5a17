package io.github.gapctl.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Time;

/**
 * A clock that is wrong by as many seconds as a file says, and jumps when the
 * file changes. As when a real clock is set, nanoseconds go on.
 */
final class WrongClock implements Time {
    private final Path file;
    private volatile long shift; // milliseconds

    WrongClock(Path file) {
        this.file = file;
        this.shift = read();
        Thread reader = new Thread(() -> {
            while (true) {
                SYSTEM.sleep(200);
                shift = read();
            }
        }, "wrong-clock");
        reader.setDaemon(true);
        reader.start();
    }

    private long read() {
        try {
            return 1000 * Long.parseLong(Files.readString(file).trim());
        } catch (IOException | NumberFormatException e) {
            return shift; // it is being replaced
        }
    }

    @Override
    public long milliseconds() {
        return SYSTEM.milliseconds() + shift;
    }

    @Override
    public long hiResClockMs() {
        return SYSTEM.hiResClockMs();
    }

    @Override
    public long nanoseconds() {
        return SYSTEM.nanoseconds();
    }

    @Override
    public void sleep(long ms) {
        SYSTEM.sleep(ms);
    }

    @Override
    public void waitObject(Object object, Supplier<Boolean> condition, long deadline) throws InterruptedException {
        synchronized (object) {
            while (!condition.get()) {
                long left = deadline - milliseconds();
                if (left <= 0) {
                    throw new TimeoutException("Condition not satisfied before deadline");
                }
                object.wait(left);
            }
        }
    }
}
