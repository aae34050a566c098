package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.h2.mvstore.WriteBuffer;

/**
 * BSON of documents and keys, byte for byte the same as the output of {@link BsonEncoder}. Each commit writes whole pages
 * of them. The encoder checks the capacity of a growing buffer at each byte, which took most of the time of a commit.
 */
final class BsonBytes {

    private static final int FIRST_BYTES = 16 * 1024;
    /** Buffers that a thread reuses for its next document. */
    private static final int KEPT_BYTES = 1024 * 1024;

    private static final ThreadLocal<BsonBytes> OWN = ThreadLocal.withInitial(BsonBytes::new);

    private byte[] bytes = new byte[FIRST_BYTES];
    private int end;

    private BsonBytes() {
    }

    static void write(WriteBuffer buffer, Document document) {
        BsonBytes own = begun();
        own.addDocument(document);
        own.giveTo(buffer);
    }

    static void write(ByteBuf buffer, Document document) {
        BsonBytes own = begun();
        own.addDocument(document);
        buffer.writeBytes(own.bytes, 0, own.end);
        own.shrink();
    }

    /** The values as a document whose field names are their indexes. */
    static void write(WriteBuffer buffer, Iterable<?> values) {
        BsonBytes own = begun();
        own.addNumbered(values);
        own.giveTo(buffer);
    }

    private static BsonBytes begun() {
        BsonBytes own = OWN.get();
        own.end = 0; // one that broke off left something
        return own;
    }

    private void giveTo(WriteBuffer buffer) {
        buffer.put(bytes, 0, end);
        shrink();
    }

    private void shrink() {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    private void addDocument(Document document) {
        int start = beginDocument();
        for (Map.Entry<String, Object> field : document.entrySet()) {
            addField(field.getKey(), field.getValue());
        }
        endDocument(start);
    }

    private void addNumbered(Iterable<?> values) {
        int start = beginDocument();
        int number = 0;
        for (Object value : values) {
            addField(Integer.toString(number++), value);
        }
        endDocument(start);
    }

    private int beginDocument() {
        int start = end;
        addInt(0);
        return start;
    }

    private void endDocument(int start) {
        addByte(0);
        putInt(start, end - start);
    }

    private void addField(String name, Object value) {
        if (value instanceof String text) {
            addName(0x02, name);
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            addInt(encoded.length + 1);
            addBytes(encoded);
            addByte(0);
        } else if (value instanceof Document document) {
            addName(0x03, name);
            addDocument(document);
        } else if (value instanceof Double number) {
            addName(0x01, name);
            addLong(Double.doubleToRawLongBits(number));
        } else if (value instanceof Integer number) {
            addName(0x10, name);
            addInt(number);
        } else if (value instanceof Instant moment) {
            addName(0x09, name);
            addLong(moment.toEpochMilli());
        } else if (value == null) {
            addName(0x0A, name);
        } else if (value instanceof Boolean flag) {
            addName(0x08, name);
            addByte(flag ? 1 : 0);
        } else if (value instanceof List<?> values) {
            addName(0x04, name);
            addNumbered(values);
        } else if (value instanceof Long number) {
            addName(0x12, name);
            addLong(number);
        } else {
            addOther(name, value);
        }
    }

    /** Rare types, and values that cannot be encoded. */
    private void addOther(String name, Object value) {
        ByteBuf encoded = Unpooled.buffer();
        BsonEncoder.encodeDocument(new Document(name, value), encoded);
        byte[] field = new byte[encoded.readableBytes() - Integer.BYTES - 1];
        encoded.getBytes(Integer.BYTES, field);
        addBytes(field);
    }

    private void addName(int kind, String name) {
        addByte(kind);
        addBytes(name.getBytes(StandardCharsets.UTF_8));
        addByte(0);
    }

    private void addByte(int value) {
        makeRoomFor(1);
        bytes[end++] = (byte) value;
    }

    private void addInt(int value) {
        makeRoomFor(Integer.BYTES);
        putInt(end, value);
        end += Integer.BYTES;
    }

    private void putInt(int at, int value) {
        for (int place = 0; place < Integer.BYTES; place++) {
            bytes[at + place] = (byte) (value >>> 8 * place);
        }
    }

    private void addLong(long value) {
        makeRoomFor(Long.BYTES);
        for (int place = 0; place < Long.BYTES; place++) {
            bytes[end++] = (byte) (value >>> 8 * place);
        }
    }

    private void addBytes(byte[] added) {
        makeRoomFor(added.length);
        System.arraycopy(added, 0, bytes, end, added.length);
        end += added.length;
    }

    private void makeRoomFor(int more) {
        if (end + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end + more, 2 * bytes.length));
        }
    }
}
