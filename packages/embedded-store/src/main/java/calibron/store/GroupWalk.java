package calibron.store;

import java.util.Arrays;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;

/** Iterates over the distinct values of a field, and skips all further entries of each value. */
final class GroupWalk extends LookingAhead {

    private final MVMap<byte[], Object> entries;
    private final byte[] before;
    private final boolean ascending;
    private final boolean backwards;
    /** Where to look for the next value: from here on, or before; null for the last of all. */
    private byte[] edge;
    private byte[] prefix;

    /** @param before the fields before the one whose values are walked through */
    GroupWalk(MVMap<byte[], Object> entries, byte[] before, boolean ascending, boolean backwards) {
        this.entries = entries;
        this.before = before;
        this.ascending = ascending;
        this.backwards = backwards;
        byte[] end = before.length == 0 ? null : KeyBytes.after(before);
        edge = backwards ? end : before;
    }

    /** What the keys of the value begin with that was given last. */
    byte[] prefix() {
        return prefix;
    }

    @Override
    Object look() {
        Cursor<byte[], Object> cursor = backwards ? entries.cursor(edge, null, true) : entries.cursor(edge);
        byte[] key = cursor.hasNext() ? cursor.next() : null;
        if (backwards && key != null && Arrays.equals(key, edge)) {
            key = cursor.hasNext() ? cursor.next() : null;
        }
        if (key == null || !KeyBytes.startsWith(key, before)) {
            return null;
        }
        prefix = Arrays.copyOf(key, KeyBytes.end(key, before.length, ascending));
        edge = backwards ? prefix : KeyBytes.after(prefix);
        return cursor.getValue();
    }
}
