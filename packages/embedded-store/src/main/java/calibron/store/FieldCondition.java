package calibron.store;

import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The condition of a query on one field, as far as an index can check it. */
final class FieldCondition {

    private boolean exists;
    /** Values, one of which the field must equal; null if there is no such condition. */
    private List<Object> points;
    private Bound lower;
    private Bound upper;
    /** Whether points or bounds express the whole condition. */
    private boolean whole = true;

    private record Bound(Object value, boolean inclusive) {
    }

    private FieldCondition() {
    }

    static FieldCondition of(Object asked) {
        FieldCondition condition = new FieldCondition();
        if (asked instanceof Document operators && operators.keySet().stream().anyMatch(key -> key.startsWith("$"))) {
            operators.forEach(condition::add);
        } else if (KeyBytes.isPlain(asked)) {
            condition.points = List.of(Missing.ofNullable(asked));
        } else {
            condition.whole = false;
        }
        return condition;
    }

    private void add(String operator, Object value) {
        boolean plain = KeyBytes.isPlain(value);
        switch (operator) {
            case "$eq" -> addPoints(plain ? List.of(Missing.ofNullable(value)) : null);
            case "$in" -> addPoints(pointsOf(value));
            case "$gt", "$gte", "$lt", "$lte" -> {
                if (plain && !Missing.isNullOrMissing(value)) {
                    addBound(operator.startsWith("$g"), new Bound(value, operator.endsWith("e")));
                } else {
                    whole = false;
                }
            }
            case "$exists" -> {
                exists = Boolean.TRUE.equals(value);
                whole = false;
            }
            default -> whole = false;
        }
    }

    private static List<Object> pointsOf(Object value) {
        if (!(value instanceof Collection<?> values) || !values.stream().allMatch(KeyBytes::isPlain)) {
            return null;
        }
        List<Object> points = new ArrayList<>();
        values.forEach(each -> points.add(Missing.ofNullable(each)));
        return points;
    }

    private void addPoints(List<Object> added) {
        if (added == null || points != null || lower != null || upper != null) {
            whole = false;
        } else {
            points = added;
        }
    }

    private void addBound(boolean isLower, Bound bound) {
        Bound other = isLower ? upper : lower;
        boolean first = points == null && (isLower ? lower : upper) == null;
        // Bounds of different kinds match nothing together, which an index need not know.
        if (!first || other != null && other.value.getClass() != bound.value.getClass()) {
            whole = false;
        } else if (isLower) {
            lower = bound;
        } else {
            upper = bound;
        }
    }

    boolean isWhole() {
        return whole;
    }

    /** How many values the field may have; 0 where it is not asked for by value. */
    int values() {
        return points == null ? 0 : points.size();
    }

    /** Whether the index of a field can serve the condition by points. */
    boolean hasPoints(boolean dotted, boolean arrays) {
        // A missing field equals null, also in arrays of documents; the matcher handles that.
        return points != null
            && !((dotted || arrays) && points.stream().anyMatch(Missing::isNullOrMissing));
    }

    /** Of an array, one element may be within one bound and another within the other. */
    boolean hasRange(boolean arrays) {
        return points == null && (lower != null || upper != null) && !arrays;
    }

    boolean asksToExist() {
        return exists;
    }

    boolean excludesNull() {
        return lower != null || upper != null
            || points != null && points.stream().noneMatch(Missing::isNullOrMissing);
    }

    /** Where keys begin that have one of the values after what comes before, in any order. */
    List<byte[]> prefixes(byte[] before, boolean ascending) {
        return points.stream().map(point -> KeyBytes.with(before, point, ascending)).toList();
    }

    /** The keys of the range after what comes before. */
    KeyRange range(byte[] before, boolean ascending) {
        Object kind = (lower == null ? upper : lower).value;
        byte[] all = KeyBytes.kindOf(before, kind, ascending);
        Bound first = ascending ? lower : upper;
        Bound last = ascending ? upper : lower;
        byte[] from = first == null ? all : edge(before, first, ascending, !first.inclusive);
        byte[] to = last == null ? KeyBytes.after(all) : edge(before, last, ascending, last.inclusive);
        return new KeyRange(from, to);
    }

    private static byte[] edge(byte[] before, Bound bound, boolean ascending, boolean after) {
        byte[] key = KeyBytes.with(before, bound.value, ascending);
        return after ? KeyBytes.after(key) : key;
    }
}
