package calibron.store;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.AbstractUniqueIndex;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.Document;
import java.util.Collection;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import org.h2.mvstore.MVMap;

/**
 * A unique index that also serves queries with conditions besides its key, such as a compare-and-set on {@code _id} and a
 * status. The base class serves only queries on exactly the key, and scans for all others. The collection matches the found
 * documents against the whole query.
 */
final class UniqueIndex extends AbstractUniqueIndex<Object> {

    private final MVMap<KeyValue, Object> positions;
    /** Serves queries on a part of the key. */
    private final SecondaryIndex inOrder;

    UniqueIndex(MVMap<KeyValue, Object> positions, String name, List<IndexKey> keys, boolean sparse,
                SecondaryIndex inOrder) {
        super(name, keys, sparse);
        this.positions = positions;
        this.inOrder = inOrder;
    }

    SecondaryIndex inOrder() {
        return inOrder;
    }

    /** The key of a document whose key fields are single strings or numbers, as nearly all are; null for any other. */
    private KeyValue plainKey(Document document) {
        Object[] values = new Object[getKeys().size()];
        for (int field = 0; field < values.length; field++) {
            String name = getKeys().get(field).getKey();
            values[field] = name.contains(".") ? null : plainValue(document.get(name));
            if (values[field] == null) {
                return null;
            }
        }
        return new KeyValue(values);
    }

    /** A value as keys have it, numbers as the base class makes them; null of what is neither text nor number. */
    private static Object plainValue(Object value) {
        if (value instanceof Long number && number != (long) number.doubleValue()) {
            return number;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Double) {
            // adding makes the negative zero the other one
            return ((Number) value).doubleValue() + 0.0;
        }
        return value instanceof String ? value : null;
    }

    @Override
    public synchronized void checkAdd(Document document, MongoCollection<Object> collection) {
        KeyValue key = plainKey(document);
        if (key == null || positions.containsKey(key)) {
            super.checkAdd(document, collection);
        }
    }

    /** Avoids the second check of the base class if possible: the collection has already checked the document. */
    @Override
    public synchronized void add(Document document, Object position, MongoCollection<Object> collection) {
        KeyValue key = plainKey(document);
        if (key == null || !putKeyPosition(key, position)) {
            super.add(document, position, collection);
        }
        inOrder.add(document, position, collection);
    }

    @Override
    public synchronized Object remove(Document document) {
        inOrder.remove(document);
        return super.remove(document);
    }

    @Override
    public void drop() {
        super.drop();
        inOrder.drop();
    }

    /** Every collection has the index of {@code _id}, and every update is checked by all indexes before it is made. */
    @Override
    public synchronized void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
        Bounds.checkDocument(after);
        super.checkUpdate(before, after, collection);
    }

    @Override
    public synchronized boolean canHandle(Document query) {
        Document ofKey = conditionsOnKey(query);
        return ofKey != null && super.canHandle(ofKey);
    }

    @Override
    public synchronized Iterable<Object> getPositions(Document query) {
        return super.getPositions(conditionsOnKey(query));
    }

    /** The query's conditions on the key alone, or null if it leaves a part open or asks for a whole array. */
    private Document conditionsOnKey(Document query) {
        Document ofKey = new Document();
        for (String key : keys()) {
            if (!query.containsKey(key)) {
                return null;
            }
            Object condition = query.get(key);
            if (condition instanceof Document operators && operators.keySet().equals(Set.of("$eq"))) {
                condition = operators.get("$eq");
            }
            if (condition instanceof Collection) {
                return null;
            }
            ofKey.put(key, condition);
        }
        return ofKey;
    }

    @Override
    protected Object removeDocument(KeyValue key) {
        return positions.remove(key);
    }

    @Override
    protected boolean putKeyPosition(KeyValue key, Object position) {
        return positions.putIfAbsent(key, Missing.ofNullable(position)) == null;
    }

    @Override
    protected Iterable<Entry<KeyValue, Object>> getIterable() {
        return positions.entrySet();
    }

    @Override
    protected Object getPosition(KeyValue key) {
        return positions.get(key);
    }

    @Override
    public long getCount() {
        return positions.sizeAsLong();
    }

    @Override
    public boolean isEmpty() {
        return positions.isEmpty();
    }

    @Override
    public long getDataSize() {
        return getCount();
    }
}
