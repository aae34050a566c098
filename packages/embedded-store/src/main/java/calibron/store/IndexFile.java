package calibron.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Supplier;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * Storage of {@link SecondaryIndex}es: a file beside the documents, written lazily, so that a write costs only memory.
 * After a crash it may lack entries for stored documents, and is rebuilt. Two things show whether both files match: a mark
 * that each contains only while the store is stopped, and the version of the documents. Every write increments that
 * version, even a write by a release without indexes.
 */
final class IndexFile {

    /** Must change when the format of keys changes. */
    private static final String FORMAT = "1:";
    private static final String MARK = "mark";
    /** Before the name of an index that is of use, beside the mark of the documents: a crash does not take it. */
    private static final String MADE = "made ";
    private static final String SUFFIX = ".indexes";
    private static final int CACHE_MEGABYTES = 128;
    /** Amount of changes kept in memory before a write, because writing the same page often is expensive. */
    private static final int UNWRITTEN_KILOBYTES = 32 * 1024;
    private static final int COMPACT_BELOW_PERCENT = 40;

    private final MVStore documents;
    private final MVMap<String, String> markOfDocuments;
    private final MVMap<String, String> markOfIndexes;
    private final MVStore store;
    /** Metadata of each complete index. */
    private final MVMap<String, String> whole;

    private IndexFile(MVStore documents, MVStore store) {
        this.documents = documents;
        this.store = store;
        markOfDocuments = documents.openMap("calibron.indexes");
        markOfIndexes = store.openMap("mark");
        whole = store.openMap("whole");
    }

    /** The indexes of an opened store: as they were at the last stop, or none. */
    static IndexFile beside(MVStore documents) {
        if (documents.getFileStore() == null) {
            return new IndexFile(documents, MVStore.open(null));
        }
        Path file = Path.of(documents.getFileStore().getFileName() + SUFFIX);
        IndexFile found = null;
        try {
            found = new IndexFile(documents, open(file));
        } catch (RuntimeException e) { // cut short in a crash: nothing in it is needed
            System.err.println("the indexes are rebuilt: " + e.getMessage());
        }
        if (found == null || !found.isOfOneTime()) {
            if (found != null) {
                found.store.closeImmediately();
            }
            delete(file);
            found = new IndexFile(documents, open(file));
        }
        found.whole.keySet().forEach(found::remember);
        found.markOfDocuments.remove(MARK);
        found.markOfIndexes.remove(MARK);
        documents.commit();
        found.store.commit();
        return found;
    }

    private static MVStore open(Path file) {
        MVStore store = new MVStore.Builder().fileName(file.toString()).cacheSize(CACHE_MEGABYTES).compress()
            .autoCommitBufferSize(UNWRITTEN_KILOBYTES).autoCompactFillRate(COMPACT_BELOW_PERCENT).open();
        store.setVersionsToKeep(0);
        store.setRetentionTime(0);
        return store;
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isOfOneTime() {
        String mark = markOfDocuments.get(MARK);
        return mark != null && mark.startsWith(FORMAT) && withVersion(mark).equals(markOfIndexes.get(MARK));
    }

    private String withVersion(String mark) {
        return mark + " " + documents.getCurrentVersion();
    }

    /** Closes the indexes after the documents, of which no other version is to come, and says that they belong together. */
    void closeAfter(Runnable closingDocuments) {
        boolean kept = store.getFileStore() != null && works();
        String mark = FORMAT + UUID.randomUUID();
        if (kept) {
            markOfDocuments.put(MARK, mark);
        }
        closingDocuments.run();
        if (kept) {
            markOfIndexes.put(MARK, withVersion(mark));
            store.close();
        }
    }

    /** False after a failed write, as on a full disk: then indexes are not used until the next start. */
    boolean works() {
        return !store.isClosed();
    }

    /** Keeps the parts of the file in which a scan began. */
    <T> T reading(Supplier<T> scan) {
        MVStore.TxCounter version = store.registerVersionUsage();
        try {
            return scan.get();
        } finally {
            store.deregisterVersionUsage(version);
        }
    }

    MVMap<byte[], Object> entries(String index) {
        return store.openMap(index, new MVMap.Builder<byte[], Object>().keyType(new BytesType()));
    }

    /** Metadata of a complete index; null for any other. */
    String noteOf(String index) {
        return whole.get(index);
    }

    void note(String index, String note) {
        remember(index);
        whole.put(index, note);
    }

    private void remember(String index) {
        markOfDocuments.putIfAbsent(MADE + index, "");
    }

    /** Whether an index was in use and is now missing. */
    boolean isLost(String index) {
        return markOfDocuments.containsKey(MADE + index) && noteOf(index) == null;
    }

    /** Directory of temporary files; null in memory. */
    Path directory() {
        return store.getFileStore() == null ? null : Path.of(store.getFileStore().getFileName()).getParent();
    }

    /** Removes an index permanently. */
    void forget(String index) {
        remove(index);
        markOfDocuments.remove(MADE + index);
    }

    void remove(String index) {
        whole.remove(index);
        if (store.hasMap(index)) {
            store.removeMap(index);
        }
    }

    private static final class BytesType extends BasicDataType<byte[]> {

        private static final int BYTES_PER_ARRAY = 24;

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }

        @Override
        public int getMemory(byte[] key) {
            return BYTES_PER_ARRAY + key.length;
        }

        @Override
        public void write(WriteBuffer buffer, byte[] key) {
            buffer.putVarInt(key.length).put(key);
        }

        @Override
        public byte[] read(ByteBuffer buffer) {
            byte[] key = new byte[DataUtils.readVarInt(buffer)];
            buffer.get(key);
            return key;
        }

        @Override
        public byte[][] createStorage(int size) {
            return new byte[size][];
        }
    }
}
