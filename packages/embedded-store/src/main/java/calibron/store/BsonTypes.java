package calibron.store;

import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.ValueComparator;
import de.bwaldvogel.mongo.bson.Document;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * Stores documents and index keys as BSON. The store's default, Java serialization, is several times slower and larger,
 * and compares two index keys by serializing both.
 */
final class BsonTypes {

    static final BasicDataType<Document> DOCUMENT = new DocumentType();
    static final BasicDataType<KeyValue> KEY = new KeyType();

    private BsonTypes() {
    }

    private static final class DocumentType extends BasicDataType<Document> {

        /** Heap size of the parts of a document. It determines the store's cache usage and page size. */
        private static final int DOCUMENT_BYTES = 200;
        private static final int ENTRY_BYTES = 48;
        private static final int VALUE_BYTES = 24;

        @Override
        public int getMemory(Document document) {
            return memory(document);
        }

        private static int memory(Object value) {
            if (value instanceof Document document) {
                int bytes = DOCUMENT_BYTES;
                for (var field : document.entrySet()) {
                    bytes += ENTRY_BYTES + memory(field.getKey()) + memory(field.getValue());
                }
                return bytes;
            }
            if (value instanceof Collection<?> values) {
                int bytes = VALUE_BYTES;
                for (Object element : values) {
                    bytes += memory(element);
                }
                return bytes;
            }
            return value instanceof String text ? VALUE_BYTES * 2 + text.length() : VALUE_BYTES;
        }

        @Override
        public void write(WriteBuffer buffer, Document document) {
            BsonBytes.write(buffer, document);
        }

        @Override
        public Document read(ByteBuffer buffer) {
            return BsonReader.read(buffer);
        }

        @Override
        public Document[] createStorage(int size) {
            return new Document[size];
        }
    }

    private static final class KeyType extends BasicDataType<KeyValue> {

        private static final int BYTES_PER_KEY = 96;

        @Override
        public int getMemory(KeyValue key) {
            return BYTES_PER_KEY;
        }

        @Override
        public int compare(KeyValue a, KeyValue b) {
            int shared = Math.min(a.size(), b.size());
            for (int i = 0; i < shared; i++) {
                int order = compareValues(a.get(i), b.get(i));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(a.size(), b.size());
        }

        /** Keys hold numbers as doubles, or as longs that no double equals; ValueComparator mixes those up. */
        private static int compareValues(Object a, Object b) {
            if (a instanceof Number x && b instanceof Number y) {
                int order = Double.compare(x.doubleValue(), y.doubleValue());
                return order != 0 ? order : Long.compare(x.longValue(), y.longValue());
            }
            // what the comparator comes to after a dozen questions of type
            return a instanceof String x && b instanceof String y ? x.compareTo(y) : ValueComparator.asc().compare(a, b);
        }

        @Override
        public void write(WriteBuffer buffer, KeyValue key) {
            BsonBytes.write(buffer, key);
        }

        @Override
        public KeyValue read(ByteBuffer buffer) {
            return new KeyValue(new ArrayList<>(BsonReader.read(buffer).values()));
        }

        @Override
        public KeyValue[] createStorage(int size) {
            return new KeyValue[size];
        }
    }
}
