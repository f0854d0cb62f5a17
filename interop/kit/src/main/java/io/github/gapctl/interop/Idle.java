package io.github.gapctl.interop;

/**
 * When a program has seen everything: some work has arrived, and then nothing
 * new for a while; or its time is up; or it is asked to stop.
 */
public final class Idle {
    private final long started = System.nanoTime();
    private final long idleNanos;
    private final long limitNanos;
    private volatile long lastProgress;

    /** Reads {@code --idle} and {@code --limit}, in milliseconds. */
    public Idle(Args args) {
        idleNanos = args.number("idle", 2_000) * 1_000_000;
        limitNanos = args.number("limit", 60_000) * 1_000_000;
    }

    /** Notes that something new has happened. */
    public void progress() {
        lastProgress = Math.max(1, System.nanoTime() - started);
    }

    /** Notes the first sign of work, which starts the wait for the rest. */
    public void begun() {
        if (lastProgress == 0) {
            progress();
        }
    }

    public boolean over() {
        long now = System.nanoTime() - started;
        return Guard.stopRequested()
            || now > limitNanos
            || (lastProgress > 0 && now - lastProgress > idleNanos);
    }
}
