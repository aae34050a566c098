package calibron.store;

import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.BsonRegularExpression;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.BsonConstants;
import de.bwaldvogel.mongo.wire.bson.BsonEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collection;
import java.util.regex.Pattern;

/**
 * Limits of documents. A deeper document overflows the stack of the thread that writes it, which closes the file
 * permanently. A larger one is written but can never be read again. Both are refused before anything is changed.
 */
final class Bounds {

    private static final int DEEPEST = 100;
    /** Levels that a command adds around a document, as in {updates: [{u: {$set: {field: [document]}}}]}. */
    private static final int AROUND_A_DOCUMENT = 8;
    /** Maximum bytes of a character in BSON. */
    private static final int BYTES_PER_CHARACTER = 3;
    /** Bytes for type, length and end of a value, and the overhead of its name. */
    private static final int BYTES_PER_VALUE = 32;

    private static final int BAD_VALUE = 2;
    private static final int DOLLAR_PREFIXED_FIELD_NAME = 52;
    private static final int OVERFLOW = 15;
    static final int OBJECT_TOO_LARGE = 10334;
    private static final int INVALID_PATTERN = 51091;
    /** After an even number of backslashes, which are escaped backslashes. */
    private static final Pattern UNKNOWN_ESCAPE = Pattern.compile("(?<!\\\\)(?:\\\\\\\\)*\\\\(?:[FLlUu]|N\\{)");

    private Bounds() {
    }

    /** @throws MongoServerError for a command that no document within the bounds needs */
    static void checkCommand(Document command) {
        refuseDeep(command, DEEPEST + AROUND_A_DOCUMENT);
    }

    /** @throws MongoServerError for a document that could not be written or read again */
    static void checkDocument(Document document) {
        checkId(document.get("_id"));
        refuseDeep(document, DEEPEST);
        if (mostBytes(document) > BsonConstants.MAX_BSON_OBJECT_SIZE
            && encodedBytes(document) > BsonConstants.MAX_BSON_OBJECT_SIZE) {
            throw new MongoServerError(OBJECT_TOO_LARGE, "BSONObjectTooLarge", "the document is larger than 16 MB");
        }
    }

    /** Arrays are refused by the base class. */
    private static void checkId(Object id) {
        if (id instanceof BsonRegularExpression) {
            throw new MongoServerError(BAD_VALUE, "BadValue", "The '_id' value cannot be of type regex");
        }
        if (id instanceof Document fields && fields.keySet().stream().anyMatch(name -> name.startsWith("$"))) {
            throw new MongoServerError(DOLLAR_PREFIXED_FIELD_NAME, "DollarPrefixedFieldName",
                "_id fields may not contain '$'-prefixed fields");
        }
    }

    private static void refuseDeep(Document document, int levels) {
        if (isDeeper(document, levels)) {
            throw new MongoServerError(OVERFLOW, "Overflow", "the document is nested deeper than " + DEEPEST + " levels");
        }
    }

    private static boolean isDeeper(Object value, int levels) {
        if (value instanceof BsonRegularExpression expression) {
            checkPattern(expression.getPattern());
        } else if (value instanceof Document document && document.get("$regex") instanceof String pattern) {
            checkPattern(pattern);
        }
        Collection<?> parts = partsOf(value);
        if (parts == null) {
            return false;
        }
        if (levels == 0) {
            return true;
        }
        for (Object part : parts) {
            if (isDeeper(part, levels - 1)) {
                return true;
            }
        }
        return false;
    }

    /** Java reads these escapes, PCRE2 in mongod refuses them. */
    private static void checkPattern(String pattern) {
        if (UNKNOWN_ESCAPE.matcher(pattern).find()) {
            throw new MongoServerError(INVALID_PATTERN, "Regular expression is invalid: PCRE2 does not support "
                + "\\F, \\L, \\l, \\N{name}, \\U, or \\u");
        }
    }

    private static Collection<?> partsOf(Object value) {
        if (value instanceof Document document) {
            return document.values();
        }
        return value instanceof Collection<?> collection ? collection : null;
    }

    /** A bound on the encoded size that costs no encoding. */
    private static long mostBytes(Object value) {
        long bytes = BYTES_PER_VALUE;
        if (value instanceof Document document) {
            for (String name : document.keySet()) {
                bytes += (long) BYTES_PER_CHARACTER * name.length();
            }
        }
        Collection<?> parts = partsOf(value);
        if (parts != null) {
            for (Object part : parts) {
                bytes += mostBytes(part);
            }
        } else if (value instanceof String text) {
            bytes += (long) BYTES_PER_CHARACTER * text.length();
        } else if (value instanceof BinData data) {
            bytes += data.getData().length;
        }
        return bytes;
    }

    private static int encodedBytes(Document document) {
        ByteBuf encoded = Unpooled.buffer();
        try {
            BsonEncoder.encodeDocument(document, encoded);
            return encoded.writerIndex();
        } finally {
            encoded.release();
        }
    }
}
