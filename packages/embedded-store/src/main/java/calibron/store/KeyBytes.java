package calibron.store;

import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/**
 * Encodes values as sort keys of a {@link SecondaryIndex}: the unsigned order of the bytes is the order of the values, and
 * no encoding is a prefix of another. For a descending field all bits are inverted.
 */
final class KeyBytes {

    private static final int NULL = 0x05;
    private static final int NUMBER = 0x10;
    private static final int STRING = 0x20;
    /** Documents and other types without a sort order; all have the same encoding. */
    private static final int OPAQUE = 0x30;
    private static final int OBJECT_ID = 0x40;
    private static final int BOOLEAN = 0x50;
    private static final int DATE = 0x60;

    private static final int TURNED = 0xFF;
    private static final int ESCAPE = 0xFF;
    private static final int OBJECT_ID_BYTES = 12;

    private KeyBytes() {
    }

    /** Whether equal bytes say that values are equal, and the order of bytes is the order of values. */
    static boolean isPlain(Object value) {
        return Missing.isNullOrMissing(value) || value instanceof String || value instanceof Boolean
            || value instanceof Instant || value instanceof ObjectId
            || value instanceof Number number && !Double.isNaN(number.doubleValue());
    }

    /** Adds a value of a field after the fields before it. */
    static byte[] with(byte[] before, Object value, boolean ascending) {
        byte[] added = bytesOf(value);
        return concatenated(before, ascending ? added : turned(added));
    }

    static byte[] concatenated(byte[] before, byte[] added) {
        byte[] both = Arrays.copyOf(before, before.length + added.length);
        System.arraycopy(added, 0, both, before.length, added.length);
        return both;
    }

    /** The bytes that all values of the kind of this one begin with. */
    static byte[] kindOf(byte[] before, Object value, boolean ascending) {
        byte[] kind = {bytesOf(value)[0]};
        return concatenated(before, ascending ? kind : turned(kind));
    }

    /** The first bytes after all that begin with these. */
    static byte[] after(byte[] prefix) {
        for (int last = prefix.length - 1; last >= 0; last--) {
            if ((prefix[last] & 0xFF) != 0xFF) {
                byte[] next = Arrays.copyOf(prefix, last + 1);
                next[last]++;
                return next;
            }
        }
        throw new IllegalArgumentException("nothing follows these bytes");
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /** End of the value that starts at a position in a key. */
    static int end(byte[] key, int start, boolean ascending) {
        int turn = ascending ? 0 : TURNED;
        int kind = key[start] & 0xFF ^ turn;
        int at = start + 1;
        return switch (kind) {
            case NULL, OPAQUE -> at;
            case BOOLEAN -> at + 1;
            case NUMBER -> at + 2 * Long.BYTES;
            case DATE -> at + Long.BYTES;
            case OBJECT_ID -> at + OBJECT_ID_BYTES;
            case STRING -> {
                while ((key[at] & 0xFF ^ turn) != 0 || (key[at + 1] & 0xFF ^ turn) == ESCAPE) {
                    at += (key[at] & 0xFF ^ turn) == 0 ? 2 : 1;
                }
                yield at + 2;
            }
            default -> throw new IllegalArgumentException("no key of an index has a value of kind " + kind);
        };
    }

    private static byte[] turned(byte[] bytes) {
        byte[] turned = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            turned[i] = (byte) ~bytes[i];
        }
        return turned;
    }

    private static byte[] bytesOf(Object value) {
        if (Missing.isNullOrMissing(value)) {
            return new byte[] {NULL};
        }
        if (!isPlain(value)) {
            return new byte[] {OPAQUE};
        }
        if (value instanceof String text) {
            return bytesOf(text);
        }
        if (value instanceof Number number) {
            return bytesOf(number);
        }
        if (value instanceof Boolean flag) {
            return new byte[] {BOOLEAN, (byte) (flag ? 1 : 0)};
        }
        if (value instanceof ObjectId id) {
            return concatenated(new byte[] {OBJECT_ID}, id.toByteArray());
        }
        long millis = ((Instant) value).toEpochMilli();
        return ByteBuffer.allocate(1 + Long.BYTES).put((byte) DATE).putLong(millis ^ Long.MIN_VALUE).array();
    }

    /** Encoded as a double, by which all numbers are compared, then as a long, for values that no double equals. */
    private static byte[] bytesOf(Number number) {
        double real = number.doubleValue() + 0.0;
        long bits = Double.doubleToLongBits(real);
        return ByteBuffer.allocate(1 + 2 * Long.BYTES).put((byte) NUMBER)
            .putLong(bits < 0 ? ~bits : bits ^ Long.MIN_VALUE)
            .putLong(number.longValue() ^ Long.MIN_VALUE)
            .array();
    }

    /** Ends with two zeros; a zero within is followed by an escape. */
    private static byte[] bytesOf(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        int zeros = 0;
        for (byte each : encoded) {
            zeros += each == 0 ? 1 : 0;
        }
        byte[] bytes = new byte[1 + encoded.length + zeros + 2];
        bytes[0] = STRING;
        if (zeros == 0) {
            System.arraycopy(encoded, 0, bytes, 1, encoded.length);
            return bytes;
        }
        int at = 1;
        for (byte each : encoded) {
            bytes[at++] = each;
            if (each == 0) {
                bytes[at++] = (byte) ESCAPE;
            }
        }
        return bytes;
    }
}
