package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses updates that mongod refuses for any document, and that the base class would apply or fail on. */
final class UpdateForm {

    private static final int BAD_VALUE = 2;
    private static final int FAILED_TO_PARSE = 9;
    private static final int TYPE_MISMATCH = 14;
    private static final int CONFLICT = 40;
    private static final int EMPTY_FIELD_NAME = 56;
    /** The part of a path that names a filter, as in {@code list.$[element].field}. */
    private static final Pattern IDENTIFIER = Pattern.compile("\\$\\[([^\\]]+)]");

    private UpdateForm() {
    }

    /** @throws MongoServerError for an operator without fields, a path with an empty part, wrong values, and conflicts */
    static void check(Document update, boolean hasArrayFilters) {
        for (Map.Entry<String, Object> each : update.entrySet()) {
            String operator = each.getKey();
            if (!operator.startsWith("$")) {
                return;
            }
            if (!(each.getValue() instanceof Document changes)) {
                throw new MongoServerError(FAILED_TO_PARSE, "FailedToParse",
                    "Modifiers operate on fields but " + operator + " has none. For example: {$mod: {<field>: ...}}");
            }
            changes.forEach((path, value) -> checkChange(operator, path, value));
            if (!hasArrayFilters) {
                changes.keySet().forEach(UpdateForm::checkIdentifiers);
            }
        }
        if (update.get("$rename") instanceof Document renames) {
            checkRenames(renames, update);
        }
    }

    private static void checkChange(String operator, String path, Object value) {
        checkPath(path);
        if (operator.equals("$rename")) {
            checkRename(path, value);
        }
        if (value instanceof Document modifiers && modifiers.containsKey("$each")
            && !(modifiers.get("$each") instanceof List<?>)) {
            if (operator.equals("$push")) {
                throw badValue("The argument to $each in $push must be an array");
            }
            if (operator.equals("$addToSet")) {
                throw new MongoServerError(TYPE_MISMATCH, "TypeMismatch",
                    "The argument to $each in $addToSet must be an array");
            }
        }
    }

    private static void checkPath(String path) {
        if (Arrays.asList(path.split("\\.", -1)).contains("")) {
            throw new MongoServerError(EMPTY_FIELD_NAME, "EmptyFieldName",
                "The update path '" + path + "' contains an empty field name, which is not allowed.");
        }
    }

    private static void checkIdentifiers(String path) {
        Matcher identifier = IDENTIFIER.matcher(path);
        if (identifier.find()) {
            throw badValue("No array filter found for identifier '" + identifier.group(1) + "' in path '" + path + "'");
        }
    }

    private static void checkRename(String from, Object target) {
        if (!(target instanceof String to)) {
            throw badValue("The 'to' field for $rename must be a string: " + from);
        }
        checkPath(to);
        if (from.equals(to)) {
            throw badValue("The source and target field for $rename must differ: " + from);
        }
        if (isWithin(from, to) || isWithin(to, from)) {
            throw badValue("The source and target field for $rename must not be on the same path: " + from);
        }
        for (String path : List.of(from, to)) {
            if (Arrays.stream(path.split("\\.")).anyMatch(part -> part.startsWith("$"))) {
                throw badValue("The source and target field for $rename may not be dynamic: " + path);
            }
        }
    }

    /** A target that another change of the same update also names. */
    private static void checkRenames(Document renames, Document update) {
        Set<String> taken = new HashSet<>();
        update.forEach((operator, changes) -> {
            if (changes instanceof Document fields) {
                taken.addAll(fields.keySet());
            }
        });
        for (Object target : renames.values()) {
            String to = String.valueOf(target);
            if (taken.stream().anyMatch(path -> path.equals(to) || isWithin(path, to) || isWithin(to, path))) {
                throw new MongoServerError(CONFLICT, "ConflictingUpdateOperators",
                    "Updating the path '" + to + "' would create a conflict at '" + to + "'");
            }
            taken.add(to);
        }
    }

    private static boolean isWithin(String path, String outer) {
        return path.startsWith(outer + ".");
    }

    private static MongoServerError badValue(String message) {
        return new MongoServerError(BAD_VALUE, "BadValue", message);
    }
}
