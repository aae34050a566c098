package calibron.store;

import java.util.Arrays;
import java.util.Iterator;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;

/** A range of keys of an index: the first is included, the last is not. */
record KeyRange(byte[] from, byte[] to) {

    static KeyRange startingWith(byte[] prefix) {
        return new KeyRange(prefix, KeyBytes.after(prefix));
    }

    /** Number of entries in the range, determined without reading them. */
    long count(MVMap<byte[], Object> entries) {
        return Math.max(0, rank(entries, to) - rank(entries, from));
    }

    private static long rank(MVMap<byte[], Object> entries, byte[] key) {
        long index = entries.getKeyIndex(key);
        return index < 0 ? -index - 1 : index;
    }

    /** Positions of the documents in the range, in the order of the keys or in reverse order. */
    Iterator<Object> positions(MVMap<byte[], Object> entries, boolean backwards) {
        return new Walk(entries, this, backwards);
    }

    private static final class Walk extends LookingAhead {

        private final Cursor<byte[], Object> cursor;
        private final KeyRange range;
        private final boolean backwards;

        Walk(MVMap<byte[], Object> entries, KeyRange range, boolean backwards) {
            this.range = range;
            this.backwards = backwards;
            cursor = backwards ? entries.cursor(range.to, null, true) : entries.cursor(range.from);
        }

        @Override
        Object look() {
            if (!cursor.hasNext()) {
                return null;
            }
            int order = Arrays.compareUnsigned(cursor.next(), backwards ? range.from : range.to);
            return (backwards ? order >= 0 : order < 0) ? cursor.getValue() : null;
        }
    }
}
