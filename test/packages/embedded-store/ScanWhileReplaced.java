package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import java.util.Iterator;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * {@code <file>}: scans documents, all of which are replaced and moved in the file while the scan is under way, and prints how many it
 * saw. The store keeps nothing for its own sake here: no time, no cache.
 */
public final class ScanWhileReplaced {

    private static final int DOCUMENTS = 2_000;
    private static final int ROUNDS = 20;

    private ScanWhileReplaced() {
    }

    public static void main(String[] arguments) {
        MVStore store = DurableBackend.open(arguments[0]);
        store.setRetentionTime(0);
        store.setCacheSize(0);
        DurableBackend backend = new DurableBackend(store, null);
        MVMap<Object, Document> documents =
            store.openMap("scanned", new MVMap.Builder<Object, Document>().valueType(BsonTypes.DOCUMENT));
        replaceAll(store, documents, 0);
        System.out.println(backend.reading(() -> scan(store, documents)) + " documents of one version");
        backend.close();
    }

    private static int scan(MVStore store, MVMap<Object, Document> documents) {
        Iterator<Document> scan = documents.values().iterator();
        int seen = scan.next().get("round").equals(0) ? 1 : 0;
        for (int round = 1; round <= ROUNDS; round++) {
            replaceAll(store, documents, round);
            store.compact(95, 64 * 1024 * 1024);
            store.commit();
        }
        while (scan.hasNext()) {
            seen += scan.next().get("round").equals(0) ? 1 : 0;
        }
        return seen;
    }

    private static void replaceAll(MVStore store, MVMap<Object, Document> documents, int round) {
        String text = "x".repeat(500);
        for (int number = 0; number < DOCUMENTS; number++) {
            documents.put("d" + number, new Document("_id", "d" + number).append("round", round).append("text", text));
        }
        store.commit();
    }
}
