package calibron.store;

import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import java.util.stream.Stream;

/** Says how far the making of indexes is, so that whoever waits for the store knows that it goes on. */
final class Progress {

    private static final long EVERY_NANOS = 5_000_000_000L;

    private final String collection;
    private final long all;
    private long done;
    private long toldAt = System.nanoTime();

    private Progress(String collection, long all) {
        this.collection = collection;
        this.all = all;
    }

    /** The documents, of which one line tells now and then. */
    static Stream<DocumentWithPosition<Object>> told(String collection, long all,
                                                     Stream<DocumentWithPosition<Object>> documents) {
        Progress progress = new Progress(collection, all);
        return documents.peek(each -> progress.next());
    }

    private void next() {
        done++;
        if (System.nanoTime() - toldAt > EVERY_NANOS) {
            toldAt = System.nanoTime();
            System.out.println("indexes of " + collection + " are made again: " + done + " of " + all + " documents");
        }
    }
}
