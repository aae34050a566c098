package calibron.store;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.DefaultQueryMatcher;
import de.bwaldvogel.mongo.backend.DocumentWithPosition;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStoreException;

/**
 * A sorted index, which mongo-java-server lacks. It is built from all documents when a query first needs it, and updated
 * with each write from then on; before that it costs nothing. The collection matches all found documents against the whole
 * query, so the index may find too many documents, but never too few.
 *
 * <p>Guarded by the collection's monitor, except iterations, which see a snapshot of the entries at their start.
 */
final class SecondaryIndex extends Index<Object> {

    private static final DefaultQueryMatcher MATCHER = new DefaultQueryMatcher();

    /** Number of entries that are sorted before they are put into the map. */
    private static final int SORTED_AT_ONCE = 200_000;

    private final String mapName;
    private final Supplier<IndexFile> file;
    /** Only documents that match this filter have entries; null means all documents. */
    private final Document partial;
    /** For each field, whether its path leads through documents. */
    private final boolean[] dotted;

    /** Whether entries of an earlier process were looked for. */
    private boolean asked;
    private MVMap<byte[], Object> entries;
    /** Whether building the index has failed. */
    private boolean unmade;
    /** Bit set of the fields that are arrays in some document. */
    private long arrays;
    /** Bit set of the fields that in some document have a value whose encoding has no order. */
    private long unordered;

    SecondaryIndex(String mapName, String name, List<IndexKey> keys, Document partial, Supplier<IndexFile> file) {
        super(name, keys, true);
        this.mapName = mapName;
        this.file = file;
        this.partial = partial;
        dotted = new boolean[keys.size()];
        for (int field = 0; field < dotted.length; field++) {
            dotted[field] = keys.get(field).getKey().contains(".");
        }
    }

    Document partial() {
        return partial;
    }

    boolean isDotted(int field) {
        return dotted[field];
    }

    boolean hasArrays(int field) {
        return (arrays & 1L << field) != 0;
    }

    boolean hasArrays() {
        return arrays != 0;
    }

    boolean orders(int field) {
        return ((arrays | unordered) & 1L << field) == 0;
    }

    /** @return whether what plans were judged by has changed: it was made now, of all documents, or cannot be */
    boolean make(Supplier<Stream<DocumentWithPosition<Object>>> documents) {
        if (entries != null) {
            return false;
        }
        make(List.of(this), documents.get(), Progress.SILENT);
        return true;
    }

    /** Builds several indexes of a collection in one scan of its documents. Indexes that fail are not used. */
    static void make(List<SecondaryIndex> indexes, Stream<DocumentWithPosition<Object>> documents, Progress progress) {
        Map<SecondaryIndex, SortedRuns> unsorted = new LinkedHashMap<>();
        try {
            indexes.forEach(index -> unsorted.put(index, index.begin(SORTED_AT_ONCE / indexes.size())));
            documents.peek(each -> progress.step()).forEach(each -> unsorted.forEach((index, runs) ->
                index.keysOf(each.getDocument(), each.getPosition())
                    .forEach(key -> runs.add(key, each.getPosition()))));
            unsorted.forEach((index, runs) -> index.fill(runs, progress));
        } catch (MVStoreException | UncheckedIOException e) {
            indexes.forEach(index -> index.leaveUnmade(e));
        } finally {
            unsorted.values().forEach(SortedRuns::close);
        }
    }

    private SortedRuns begin(int sortedAtOnce) {
        file.get().remove(mapName);
        return new SortedRuns(file.get().directory(), sortedAtOnce);
    }

    /** As on a full disk. */
    private void leaveUnmade(RuntimeException reason) {
        if (reason instanceof MVStoreException && works()) {
            throw reason; // the documents cannot be read
        }
        if (entries == null) {
            unmade = true;
            System.err.println("an index is left aside until the next start: " + reason.getMessage());
        }
    }

    /** Inserts entries in sorted order, so that each page is written only once. */
    private void fill(SortedRuns runs, Progress progress) {
        MVMap<byte[], Object> made = file.get().entries(mapName);
        runs.forEach((key, position) -> {
            made.put(key, position);
            progress.step();
        });
        entries = made;
        note();
    }

    /** Whether the index was in use before a crash, in which it was lost. */
    boolean isLost() {
        return entries == null && works() && file.get().isLost(mapName);
    }

    private boolean works() {
        return file.get().works();
    }

    MVMap<byte[], Object> entries() {
        return entries;
    }

    /**
     * Finds the entries of an earlier process, and their metadata. Must be called before anything else.
     *
     * @return whether queries can be served
     */
    boolean open() {
        if (unmade) {
            return false;
        }
        if (asked || !works()) {
            return works();
        }
        asked = true;
        String note = file.get().noteOf(mapName);
        if (note != null) {
            String[] parts = note.split(" ");
            arrays = Long.parseLong(parts[0]);
            unordered = Long.parseLong(parts[1]);
            entries = file.get().entries(mapName);
        }
        return true;
    }

    private void note() {
        file.get().note(mapName, arrays + " " + unordered);
    }

    @Override
    public void add(Document document, Object position, MongoCollection<Object> collection) {
        change(() -> keysOf(document, position).forEach(key -> entries.put(key, position)));
    }

    @Override
    public Object remove(Document document) {
        change(() -> keysOf(document, document.get("_id")).forEach(entries::remove));
        return null;
    }

    /** If an index cannot be updated, the write of documents continues, and the index is not used any more. */
    private void change(Runnable made) {
        if (!open() || entries == null) {
            return;
        }
        try {
            made.run();
        } catch (MVStoreException e) {
            leaveAside(e);
        }
    }

    private void leaveAside(MVStoreException reason) {
        if (works()) {
            throw reason;
        }
        System.err.println("indexes are left aside until the next start: " + reason.getMessage());
    }

    @Override
    public void updateInPlace(Document before, Document after, Object position, MongoCollection<Object> collection) {
        change(() -> {
            if (partial != null || !hasSameValues(before, after)) {
                List<byte[]> keys = keysOf(after, position);
                keysOf(before, position).forEach(entries::remove);
                keys.forEach(key -> entries.put(key, position));
            }
        });
    }

    private boolean hasSameValues(Document before, Document after) {
        for (int field = 0; field < dotted.length; field++) {
            if (!Objects.equals(valueOf(before, field), valueOf(after, field))) {
                return false;
            }
        }
        return true;
    }

    private Object valueOf(Document document, int field) {
        String path = getKeys().get(field).getKey();
        return dotted[field] ? Utils.getSubdocumentValueCollectionAware(document, path) : document.get(path);
    }

    /** One key for each element of an array, which is what queries match; an empty one counts as no value. */
    private List<byte[]> keysOf(Document document, Object position) {
        if (partial != null && !MATCHER.matches(document, partial)) {
            return List.of();
        }
        Object end = KeyBytes.isPlain(position) ? position : String.valueOf(position);
        List<byte[]> keys = List.of(new byte[0]);
        for (int field = 0; field < dotted.length; field++) {
            Object found = valueOf(document, field);
            boolean ascending = getKeys().get(field).isAscending();
            if (keys.size() == 1 && !(found instanceof Collection<?>)) {
                keys = List.of(withValue(keys.get(0), found, field, ascending));
                continue;
            }
            if (found instanceof Collection<?>) {
                notice(true, field);
            }
            List<byte[]> longer = new ArrayList<>(keys.size());
            for (Object value : elementsOf(found)) {
                for (byte[] key : keys) {
                    longer.add(withValue(key, value, field, ascending));
                }
            }
            keys = longer;
        }
        return keys.size() == 1
            ? List.of(KeyBytes.with(keys.get(0), end, true))
            : keys.stream().map(key -> KeyBytes.with(key, end, true)).toList();
    }

    private static Collection<?> elementsOf(Object value) {
        if (!(value instanceof Collection<?> elements)) {
            return Collections.singleton(value);
        }
        return elements.isEmpty() ? Collections.singleton(null) : new LinkedHashSet<>(elements);
    }

    private byte[] withValue(byte[] key, Object value, int field, boolean ascending) {
        if (!KeyBytes.isPlain(value)) {
            notice(false, field);
        }
        return KeyBytes.with(key, value, ascending);
    }

    private void notice(boolean array, int field) {
        long bit = 1L << field;
        if (((array ? arrays : unordered) & bit) != 0) {
            return;
        }
        if (array) {
            arrays |= bit;
        } else {
            unordered |= bit;
        }
        // Nothing is recorded about an index until it is complete.
        if (file.get().noteOf(mapName) != null) {
            note();
        }
    }

    @Override
    public void drop() {
        entries = null;
        unmade = false;
        asked = false;
        if (works()) {
            file.get().forget(mapName);
        }
    }

    @Override
    public Object getPosition(Document document) {
        return null;
    }

    @Override
    public void checkAdd(Document document, MongoCollection<Object> collection) {
        // nothing is refused
    }

    @Override
    public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
        // nothing is refused
    }

    /** Queries are planned by the collection. */
    @Override
    public boolean canHandle(Document query) {
        return false;
    }

    @Override
    public Iterable<Object> getPositions(Document query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long getCount() {
        return entries == null ? 0 : entries.sizeAsLong();
    }

    /** An empty index would be filled at once when it is declared. */
    @Override
    public boolean isEmpty() {
        return false;
    }

    @Override
    public long getDataSize() {
        return getCount();
    }
}
