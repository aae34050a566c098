package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.List;
import java.util.Set;

/** Refuses updates that mongod refuses for certain documents, and that the base class would apply differently. */
final class UpdateRules {

    private static final int BAD_VALUE = 2;
    private static final int TYPE_MISMATCH = 14;
    private static final int PATH_NOT_VIABLE = 28;
    private static final int CANNOT_BACKFILL_ARRAY = 34;
    /** Maximum number of elements that an update may add to an array before the one that it sets. */
    private static final int MOST_PADDING = 1_500_000;
    /** Operators that create missing parents of their field. */
    private static final Set<String> CREATING = Set.of("$set", "$setOnInsert", "$inc", "$mul", "$min", "$max",
        "$currentDate", "$push", "$addToSet", "$bit");
    private static final Set<String> OF_NUMBERS = Set.of("$inc", "$mul");
    /** Marks that there is no value at the end of a path. */
    private static final Object NOTHING = new Object();

    private UpdateRules() {
    }

    /**
     * Checks an update against the document that it changes, or that an upsert starts from.
     *
     * @throws MongoServerError for a field below null, for what is no array or number where one is needed, for an array that
     *     would be filled up, and for a rename that leads through an array
     */
    static void check(Document before, Document update, boolean isUpsert) {
        update.forEach((operator, changes) -> {
            boolean applies = isUpsert || !operator.equals("$setOnInsert");
            if (applies && changes instanceof Document fields) {
                fields.forEach((path, value) -> {
                    checkPath(before, operator, path);
                    if (operator.equals("$rename")) {
                        checkRename(before, path, String.valueOf(value));
                    }
                });
            }
        });
    }

    private static void checkPath(Document before, String operator, String path) {
        String[] parts = path.split("\\.");
        Object value = before;
        for (int part = 0; part < parts.length; part++) {
            boolean creates = CREATING.contains(operator);
            if (creates && value instanceof List<?> list) {
                checkPadding(list, parts[part]);
            }
            value = valueAt(value, parts[part]);
            if (part == parts.length - 1) {
                checkField(before, operator, path, value);
            } else if (value == null && creates && !parts[part + 1].startsWith("$")) {
                throw new MongoServerError(PATH_NOT_VIABLE, "PathNotViable",
                    "Cannot create field '" + parts[part + 1] + "' in element {" + parts[part] + ": null}");
            }
            if (value == null || value == NOTHING) {
                return;
            }
        }
    }

    /** The base class would add the elements until the process runs out of memory. */
    private static void checkPadding(List<?> list, String part) {
        if (part.matches("\\d{1,18}") && Long.parseLong(part) - list.size() > MOST_PADDING) {
            throw new MongoServerError(CANNOT_BACKFILL_ARRAY, "CannotBackfillArray",
                "can't backfill more than " + MOST_PADDING + " elements");
        }
    }

    /** Checks the value at the end of a path, including null. */
    private static void checkField(Document before, String operator, String path, Object value) {
        if (value == NOTHING || path.contains("$")) {
            return;
        }
        String document = "{_id: " + before.get("_id") + "}";
        boolean isArray = value instanceof List<?>;
        switch (operator) {
            case "$push" -> refuse(!isArray, BAD_VALUE, "BadValue",
                "The field '" + path + "' must be an array but is none in document " + document);
            case "$addToSet" -> refuse(!isArray, BAD_VALUE, "BadValue",
                "Cannot apply $addToSet to non-array field. The field '" + path + "' is none in document " + document);
            case "$pull", "$pullAll" -> refuse(!isArray, BAD_VALUE, "BadValue",
                "Cannot apply " + operator + " to a non-array value");
            case "$pop" -> refuse(!isArray, TYPE_MISMATCH, "TypeMismatch",
                "Path '" + path + "' contains an element of non-array type");
            default -> refuse(value == null && OF_NUMBERS.contains(operator), TYPE_MISMATCH, "TypeMismatch",
                "Cannot apply " + operator + " to a value of non-numeric type. " + document + " has the field '" + path
                    + "' of non-numeric type null");
        }
    }

    private static void checkRename(Document before, String from, String to) {
        refuse(leadsThroughArray(before, from), BAD_VALUE, "BadValue",
            "The source field cannot be an array element, '" + from + "' in a document has an array");
        refuse(valueOf(before, from) != NOTHING && leadsThroughArray(before, to), BAD_VALUE, "BadValue",
            "The destination field cannot be an array element, '" + to + "' in a document has an array");
    }

    private static void refuse(boolean wrong, int code, String name, String message) {
        if (wrong) {
            throw new MongoServerError(code, name, message);
        }
    }

    private static boolean leadsThroughArray(Document document, String path) {
        Object value = document;
        for (String part : path.split("\\.")) {
            if (value instanceof List<?>) {
                return true;
            }
            value = valueAt(value, part);
        }
        return false;
    }

    private static Object valueOf(Document document, String path) {
        Object value = document;
        for (String part : path.split("\\.")) {
            value = valueAt(value, part);
        }
        return value;
    }

    /** The value of a field or an element; null only if null is stored. */
    private static Object valueAt(Object holder, String part) {
        if (holder instanceof Document document) {
            return document.containsKey(part) ? document.get(part) : NOTHING;
        }
        if (holder instanceof List<?> list && part.matches("\\d{1,9}")) {
            int index = Integer.parseInt(part);
            return index < list.size() ? list.get(index) : NOTHING;
        }
        return NOTHING;
    }
}
