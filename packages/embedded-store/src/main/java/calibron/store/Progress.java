package calibron.store;

/** Reports the progress of index builds, so that users waiting for the store see that it is working. */
final class Progress {

    /** What nobody waits for without asking. */
    static final Progress SILENT = new Progress("", Long.MAX_VALUE);

    private static final long EVERY_NANOS = 5_000_000_000L;
    /** Number of steps between clock checks. */
    private static final int STEPS = 1_000;
    private static final int PERCENT = 100;

    private final String collection;
    private final long all;
    private long done;
    private long toldAt = System.nanoTime();

    private Progress(String collection, long all) {
        this.collection = collection;
        this.all = all;
    }

    /** Of a collection whose documents are read once, and then put into each of its indexes. */
    static Progress of(String collection, long documents, int indexes) {
        return new Progress(collection, documents * (1 + indexes));
    }

    void step() {
        if (all == Long.MAX_VALUE || ++done % STEPS != 0 || System.nanoTime() - toldAt < EVERY_NANOS) {
            return;
        }
        toldAt = System.nanoTime();
        // A document with a list has more than one entry in an index.
        long percent = Math.min(PERCENT - 1, done * PERCENT / Math.max(1, all));
        System.out.println("indexes of " + collection + " are made again: " + percent + " %");
    }
}
