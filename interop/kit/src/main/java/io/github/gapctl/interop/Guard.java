package io.github.gapctl.interop;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Ties this JVM to the test that started it. The test holds the other end of
 * standard input: however the test ends, even by a panic or a kill, the pipe
 * closes and no broker or consumer is left behind.
 */
public final class Guard {
    private static volatile boolean stop;

    private Guard() {}

    /** Halts the JVM, without shutdown hooks, once standard input ends. */
    public static void haltWhenAbandoned() {
        Thread thread = new Thread(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // A broken pipe means the same as its end.
            }
            Runtime.getRuntime().halt(1);
        }, "guard");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Turns SIGTERM into {@link #stopRequested()}: the calling thread, which is
     * to end the JVM with {@link #exit}, gets the time it needs to close.
     */
    public static void stopOnSignal() {
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop = true;
            try {
                main.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    /** Whether SIGTERM has arrived since {@link #stopOnSignal()}. */
    public static boolean stopRequested() {
        return stop;
    }

    /** Ends the JVM now; threads that the clients leave behind don't hold it up. */
    public static void exit(int status) {
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }
}
