package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Updates that mongod refuses and that the base class would carry out in a way of its own. */
final class UpdateRules {

    private static final int BAD_VALUE = 2;
    private static final int TYPE_MISMATCH = 14;
    private static final int PATH_NOT_VIABLE = 28;
    private static final int EMPTY_FIELD_NAME = 56;
    /** They create what is missing on the way to their field. */
    private static final Set<String> CREATING = Set.of("$set", "$setOnInsert", "$inc", "$mul", "$min", "$max",
        "$currentDate", "$push", "$addToSet", "$bit");
    /** They need an array, or nothing, at their field. */
    private static final Set<String> OF_ARRAYS = Set.of("$push", "$addToSet");
    private static final Set<String> OF_NUMBERS = Set.of("$inc", "$mul");
    /** There is no null on the way that an update could be refused for. */
    private static final Object NOTHING = new Object();

    private UpdateRules() {
    }

    /** @throws MongoServerError for a path with an empty part */
    static void checkPaths(Document update) {
        update.forEach((operator, changes) -> {
            if (operator.startsWith("$") && changes instanceof Document fields) {
                fields.keySet().forEach(UpdateRules::checkPath);
            }
        });
    }

    private static void checkPath(String path) {
        if (Arrays.asList(path.split("\\.", -1)).contains("")) {
            throw new MongoServerError(EMPTY_FIELD_NAME, "EmptyFieldName",
                "The update path '" + path + "' contains an empty field name, which is not allowed.");
        }
    }

    /**
     * Checks an update against the document that it changes.
     *
     * @throws MongoServerError for a field below null, and for null in the place of an array
     */
    static void checkNulls(Document before, Document update) {
        update.forEach((operator, changes) -> {
            if (changes instanceof Document fields) {
                fields.keySet().forEach(path -> checkNull(before, operator, path));
            }
        });
    }

    private static void checkNull(Document before, String operator, String path) {
        String[] parts = path.split("\\.");
        Object value = before;
        for (int part = 0; part < parts.length; part++) {
            value = valueAt(value, parts[part]);
            boolean last = part == parts.length - 1;
            if (value == null && !last && CREATING.contains(operator)) {
                throw new MongoServerError(PATH_NOT_VIABLE, "PathNotViable",
                    "Cannot create field '" + parts[part + 1] + "' in element {" + parts[part] + ": null}");
            }
            if (value == null && last && OF_ARRAYS.contains(operator)) {
                throw new MongoServerError(BAD_VALUE, "BadValue", "The field '" + path
                    + "' must be an array but is of type null in document {_id: " + before.get("_id") + "}");
            }
            if (value == null && last && OF_NUMBERS.contains(operator)) {
                throw new MongoServerError(TYPE_MISMATCH, "TypeMismatch", "Cannot apply " + operator
                    + " to a value of non-numeric type. {_id: " + before.get("_id") + "} has the field '" + parts[part]
                    + "' of non-numeric type null");
            }
            if (value == null) {
                return;
            }
        }
    }

    /** The value of a field or an element, null only where null is stored. */
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
