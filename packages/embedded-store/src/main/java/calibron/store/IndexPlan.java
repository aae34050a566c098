package calibron.store;

import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.h2.mvstore.MVMap;

/** How an index serves a query: the key ranges to read, and whether they are in the requested order. */
final class IndexPlan {

    /** Values of several fields together that are looked up one by one. */
    private static final int MOST_PREFIXES = 20_000;

    private final SecondaryIndex index;
    private final Map<String, FieldCondition> conditions;
    private final boolean hasOtherConditions;
    private final Document order;
    /** Number of leading fields for which the query gives values. */
    private final int points;
    /** Number of these, from the start, for which the query gives exactly one value. */
    private final int fixed;
    private final boolean range;
    private final int direction;

    private IndexPlan(SecondaryIndex index, Document query, Document order) {
        this.index = index;
        this.order = order == null ? new Document() : order;
        conditions = new LinkedHashMap<>();
        boolean others = false;
        for (Map.Entry<String, Object> each : query.entrySet()) {
            if (each.getKey().startsWith("$")) {
                others = true;
            } else {
                conditions.put(each.getKey(), FieldCondition.of(each.getValue()));
            }
        }
        hasOtherConditions = others;
        int served = 0;
        int single = 0;
        long prefixes = 1;
        while (served < index.getKeys().size() && hasPoints(served)) {
            prefixes *= Math.max(1, conditionOf(served).values());
            if (prefixes > MOST_PREFIXES && served > 0) {
                break;
            }
            single += single == served && conditionOf(served).values() == 1 ? 1 : 0;
            served++;
        }
        points = served;
        fixed = single;
        range = hasRangeAt(served);
        direction = directionOfOrder();
    }

    /** Null if an index does not narrow the query, or may lack matching documents. */
    static IndexPlan of(SecondaryIndex index, Document query, Document order) {
        if (!index.open()) {
            return null;
        }
        IndexPlan plan = new IndexPlan(index, query, order);
        return (plan.points > 0 || plan.range) && plan.isWithinPartial() ? plan : null;
    }

    private FieldCondition conditionOf(int field) {
        return conditions.get(fieldAt(field).getKey());
    }

    private boolean hasPoints(int field) {
        FieldCondition condition = conditionOf(field);
        return condition != null && condition.hasPoints(index.isDotted(field), index.hasArrays(field));
    }

    private boolean hasRangeAt(int field) {
        return field < index.getKeys().size() && conditionOf(field) != null
            && conditionOf(field).hasRange(index.hasArrays(field));
    }

    private boolean isWithinPartial() {
        if (index.partial() == null) {
            return true;
        }
        return index.partial().entrySet().stream().allMatch(each -> {
            FieldCondition condition = conditions.get(each.getKey());
            return condition != null && each.getValue() instanceof Document asked
                && asked.keySet().equals(Set.of("$exists")) && Boolean.TRUE.equals(asked.get("$exists"))
                && (condition.excludesNull() || condition.asksToExist());
        });
    }

    /** 1 if the keys are in the requested order, -1 if in reverse order, 0 otherwise. */
    private int directionOfOrder() {
        int field = fixed;
        int found = 0;
        for (Map.Entry<String, Object> each : order.entrySet()) {
            if (isFixed(each.getKey())) {
                continue;
            }
            if (field >= index.getKeys().size() || !fieldAt(field).getKey().equals(each.getKey())
                || !index.orders(field) || !(each.getValue() instanceof Number way)) {
                return 0;
            }
            int turn = way.intValue() > 0 == fieldAt(field).isAscending() ? 1 : -1;
            if (found != 0 && turn != found) {
                return 0;
            }
            found = turn;
            field++;
        }
        return found == 0 ? 1 : found;
    }

    private boolean isFixed(String name) {
        for (int field = 0; field < fixed; field++) {
            if (fieldAt(field).getKey().equals(name)) {
                return !index.hasArrays(field);
            }
        }
        return false;
    }

    boolean isOrdered() {
        return direction != 0;
    }

    /** Quality of the plan: higher if more fields narrow it, and highest if reading may stop early. */
    int merit(boolean limited) {
        return 2 * points + (range ? 1 : 0) + (isOrdered() && !order.isEmpty() ? limited ? 3 : 1 : 0);
    }

    SecondaryIndex index() {
        return index;
    }

    /** Whether every document within the ranges matches the query and occurs only once. */
    boolean isExact() {
        int served = points + (range ? 1 : 0);
        if (hasOtherConditions || conditions.size() != served
            || !conditions.values().stream().allMatch(FieldCondition::isWhole)) {
            return false;
        }
        return !hasRepeats();
    }

    /** Whether a document may occur more than once, because of several elements of an array. */
    private boolean hasRepeats() {
        for (int field = 0; field < index.getKeys().size(); field++) {
            if (index.hasArrays(field) && !(field < points && conditionOf(field).values() == 1)) {
                return true;
            }
        }
        return false;
    }

    private List<KeyRange> ranges() {
        return ranges(prefixes(List.of(new byte[0]), 0, points), points, range);
    }

    /** The keys that begin with one of these, or of these a range of the next field. */
    private List<KeyRange> ranges(List<byte[]> prefixes, int next, boolean ranged) {
        List<KeyRange> ranges = new ArrayList<>();
        for (byte[] prefix : prefixes) {
            ranges.add(ranged
                ? conditionOf(next).range(prefix, fieldAt(next).isAscending())
                : KeyRange.startingWith(prefix));
        }
        return ranges;
    }

    /** The beginnings of keys, lengthened by the values that the fields from one to another are asked for; in order. */
    private List<byte[]> prefixes(List<byte[]> begun, int from, int to) {
        List<byte[]> prefixes = begun;
        for (int field = from; field < to; field++) {
            boolean ascending = fieldAt(field).isAscending();
            TreeSet<byte[]> longer = new TreeSet<>(Arrays::compareUnsigned);
            for (byte[] prefix : prefixes) {
                longer.addAll(conditionOf(field).prefixes(prefix, ascending));
            }
            prefixes = List.copyOf(longer);
        }
        return prefixes;
    }

    /** Number of entries that may match. */
    long count() {
        return count(ranges());
    }

    private long count(List<KeyRange> ranges) {
        MVMap<byte[], Object> entries = index.entries();
        return ranges.stream().mapToLong(each -> each.count(entries)).sum();
    }

    /** Whether the query asks for a field and those before it in the index alone, these by one value each. */
    boolean canGiveFirst(String name) {
        int field = fieldOf(name);
        return direction != 0 && canGroup(field) && conditions.size() == field + (conditions.containsKey(name) ? 1 : 0);
    }

    /** The first document, by the order of the plan, of each value that a field has and may have: no other is read. */
    Iterator<Object> firstOfEach(String name) {
        int field = fieldOf(name);
        return field < points
            ? firstOfEach(prefixes(List.of(new byte[0]), 0, field + 1))
            : groups(field, direction < 0);
    }

    private Iterator<Object> firstOfEach(List<byte[]> prefixes) {
        MVMap<byte[], Object> entries = index.entries();
        return prefixes.stream()
            .map(prefix -> KeyRange.startingWith(prefix).positions(entries, direction < 0))
            .filter(Iterator::hasNext).map(Iterator::next).iterator();
    }

    private GroupWalk groups(int field, boolean backwards) {
        byte[] before = prefixes(List.of(new byte[0]), 0, field).get(0);
        return new GroupWalk(index.entries(), before, fieldAt(field).isAscending(), backwards);
    }

    /** Whether the query asks for fields beside one in the index: before it by one value each, after it without a gap. */
    boolean canCount(String name) {
        int field = fieldOf(name);
        return canGroup(field) && !conditions.containsKey(name) && !index.hasArrays()
            && conditions.size() == field + pointsAfter(field) + (hasRangeAt(field + 1 + pointsAfter(field)) ? 1 : 0);
    }

    /** How many fields after one are asked for by value, as far as that is not by too many together. */
    private int pointsAfter(int field) {
        int next = field + 1;
        long prefixes = 1;
        while (next < index.getKeys().size() && hasPoints(next)) {
            prefixes *= Math.max(1, conditionOf(next).values());
            if (prefixes > MOST_PREFIXES) {
                break;
            }
            next++;
        }
        return next - field - 1;
    }

    /** Number of documents with each value of a field, by the position of one of them. */
    Map<Object, Long> countsOfEach(String name) {
        int field = fieldOf(name);
        int next = field + 1 + pointsAfter(field);
        GroupWalk walk = groups(field, false);
        Map<Object, Long> counts = new LinkedHashMap<>();
        while (walk.hasNext()) {
            Object position = walk.next();
            List<byte[]> group = prefixes(List.of(walk.prefix()), field + 1, next);
            long count = count(ranges(group, next, hasRangeAt(next)));
            if (count > 0) {
                counts.put(position, count);
            }
        }
        return counts;
    }

    private int fieldOf(String name) {
        for (int field = 0; field < index.getKeys().size(); field++) {
            if (fieldAt(field).getKey().equals(name)) {
                return field;
            }
        }
        return -1;
    }

    /** Whether equal values of a field are adjacent, because each field before it has one value. */
    private boolean canGroup(int field) {
        return field >= 0 && field <= fixed && !hasOtherConditions && index.orders(field) && !index.isDotted(field)
            && conditions.values().stream().allMatch(FieldCondition::isWhole);
    }

    private IndexKey fieldAt(int field) {
        return index.getKeys().get(field);
    }

    /** The positions of possible matches, without duplicates. */
    Iterator<Object> positions() {
        MVMap<byte[], Object> entries = index.entries();
        List<KeyRange> inOrder = ranges();
        if (direction < 0) {
            Collections.reverse(inOrder);
        }
        Iterator<KeyRange> ranges = inOrder.iterator();
        Set<Object> met = hasRepeats() || fixed < points ? new HashSet<>() : null;
        return new Iterator<>() {
            private Iterator<Object> within = List.of().iterator();
            private Object next;

            @Override
            public boolean hasNext() {
                while (next == null) {
                    while (!within.hasNext()) {
                        if (!ranges.hasNext()) {
                            return false;
                        }
                        within = ranges.next().positions(entries, direction < 0);
                    }
                    Object position = within.next();
                    next = met == null || met.add(position) ? position : null;
                }
                return true;
            }

            @Override
            public Object next() {
                hasNext();
                Object position = next;
                next = null;
                return position;
            }
        };
    }
}
