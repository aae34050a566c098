package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.bson.BsonDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads stored documents, with the same result as {@link BsonDecoder}. The decoder checks each byte of a buffer and makes a
 * new text of each field's name, which took most of the time of a scan; here equal names are one text.
 */
final class BsonReader {

    private static final VarHandle INT =
        MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Names that were read last, by their hash. Threads may replace each other's. */
    private static final Name[] NAMES = new Name[4096];
    /** Longer names are rarely the same. */
    private static final int LONGEST_NAME = 64;

    private record Name(byte[] encoded, String text) {
    }

    /** A value of a rare type: the decoder reads the document instead. */
    private static final class RareType extends RuntimeException {

        private static final long serialVersionUID = 1;
        private static final RareType FOUND = new RareType();

        private RareType() {
            super(null, null, false, false);
        }
    }

    private final byte[] bytes;
    private int at;

    private BsonReader(byte[] bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** Reads a document and moves the buffer behind it. */
    static Document read(ByteBuffer buffer) {
        if (buffer.hasArray()) {
            int start = buffer.arrayOffset() + buffer.position();
            BsonReader reader = new BsonReader(buffer.array(), start);
            try {
                Document document = reader.document();
                buffer.position(buffer.position() + reader.at - start);
                return document;
            } catch (RareType rare) {
                return decoded(buffer);
            }
        }
        return decoded(buffer);
    }

    private static Document decoded(ByteBuffer buffer) {
        ByteBuf encoded = Unpooled.wrappedBuffer(buffer);
        Document document = BsonDecoder.decodeBson(encoded);
        buffer.position(buffer.position() + encoded.readerIndex());
        return document;
    }

    private Document document() {
        at += Integer.BYTES;
        Document document = new Document();
        for (byte kind = bytes[at++]; kind != 0; kind = bytes[at++]) {
            String name = name();
            document.put(name, value(kind));
        }
        return document;
    }

    private List<Object> elements() {
        at += Integer.BYTES;
        List<Object> elements = new ArrayList<>();
        for (byte kind = bytes[at++]; kind != 0; kind = bytes[at++]) {
            while (bytes[at++] != 0) {
                // the name is the number of the element
            }
            elements.add(value(kind));
        }
        return elements;
    }

    private Object value(byte kind) {
        switch (kind) {
            case 0x01:
                return Double.longBitsToDouble(longValue());
            case 0x02:
                int length = intValue();
                String text = new String(bytes, at, length - 1, StandardCharsets.UTF_8);
                at += length;
                return text;
            case 0x03:
                return document();
            case 0x04:
                return elements();
            case 0x08:
                return bytes[at++] != 0;
            case 0x09:
                return Instant.ofEpochMilli(longValue());
            case 0x0A:
                return null;
            case 0x10:
                return intValue();
            case 0x12:
                return longValue();
            default:
                throw RareType.FOUND;
        }
    }

    private int intValue() {
        int value = (int) INT.get(bytes, at);
        at += Integer.BYTES;
        return value;
    }

    private long longValue() {
        long value = (long) LONG.get(bytes, at);
        at += Long.BYTES;
        return value;
    }

    private String name() {
        int start = at;
        int hash = 0;
        for (byte next = bytes[at++]; next != 0; next = bytes[at++]) {
            hash = 31 * hash + next;
        }
        int end = at - 1;
        if (end - start > LONGEST_NAME) {
            return new String(bytes, start, end - start, StandardCharsets.UTF_8);
        }
        int place = (hash ^ hash >>> 12) & NAMES.length - 1;
        Name known = NAMES[place];
        if (known == null || !Arrays.equals(known.encoded, 0, known.encoded.length, bytes, start, end)) {
            byte[] encoded = Arrays.copyOfRange(bytes, start, end);
            known = new Name(encoded, new String(encoded, StandardCharsets.UTF_8));
            NAMES[place] = known;
        }
        return known.text;
    }
}
