package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Rules of mongod 7 for which indexes may coexist in a collection. */
final class IndexRules {

    private static final int INDEX_NOT_FOUND = 27;
    private static final int INVALID_OPTIONS = 72;
    private static final int OPTIONS_CONFLICT = 85;
    private static final int KEY_SPECS_CONFLICT = 86;
    /** Fields that are not options of an index. */
    private static final Set<String> NO_OPTIONS = Set.of("v", "ns", "name", "key", "background", "dropDups",
        "unique", "sparse", "partialFilterExpression", "collation");

    private IndexRules() {
    }

    /**
     * Compares a requested index with the existing ones.
     *
     * @return whether it is missing
     * @throws MongoServerError when one of the same name or the same key is defined in another way
     */
    static boolean isMissing(Document wanted, List<Document> present) {
        for (Document index : present) {
            if (index.get("name").equals(wanted.get("name"))) {
                return !isSame(wanted, index);
            }
        }
        for (Document index : present) {
            if (hasSameIdentity(wanted, index)) {
                throw new MongoServerError(OPTIONS_CONFLICT, "IndexOptionsConflict",
                    "Index already exists with a different name: " + index.get("name"));
            }
        }
        return true;
    }

    private static boolean isSame(Document wanted, Document index) {
        if (!hasSameIdentity(wanted, index)) {
            throw new MongoServerError(KEY_SPECS_CONFLICT, "IndexKeySpecsConflict",
                "An existing index has the same name as the requested index. Requested index: " + wanted
                    + ", existing index: " + index);
        }
        if (!optionsOf(wanted).equals(optionsOf(index))) {
            throw new MongoServerError(OPTIONS_CONFLICT, "IndexOptionsConflict",
                "An equivalent index already exists with the same name but different options. Requested index: "
                    + wanted + ", existing index: " + index);
        }
        return true;
    }

    /** Indexes that differ in one of these options may coexist under different names. */
    private static boolean hasSameIdentity(Document one, Document other) {
        return fieldsOf(one.get("key")).equals(fieldsOf(other.get("key")))
            && isTrue(one.get("unique")) == isTrue(other.get("unique"))
            && isTrue(one.get("sparse")) == isTrue(other.get("sparse"))
            && Objects.equals(one.get("partialFilterExpression"), other.get("partialFilterExpression"))
            && Objects.equals(one.get("collation"), other.get("collation"));
    }

    /** A key that preserves the order of its fields, and in which 1 and 1.0 are equal. */
    private static List<Object> fieldsOf(Object key) {
        List<Object> fields = new ArrayList<>();
        if (key instanceof Document document) {
            document.forEach((field, direction) -> {
                fields.add(field);
                fields.add(comparable(direction));
            });
        }
        return fields;
    }

    private static Document optionsOf(Document index) {
        Document options = new Document();
        index.keySet().stream().filter(name -> !NO_OPTIONS.contains(name)).sorted()
            .forEach(name -> options.put(name, comparable(index.get(name))));
        return options;
    }

    private static Object comparable(Object value) {
        return value instanceof Number number ? (Object) number.doubleValue() : value;
    }

    private static boolean isTrue(Object value) {
        return value instanceof Boolean flag ? flag : value instanceof Number number && number.doubleValue() != 0;
    }

    static MongoServerError notFound(Object index) {
        return new MongoServerError(INDEX_NOT_FOUND, "IndexNotFound", "index not found with name [" + index + "]");
    }

    /** The change of an index requested by {@code collMod}: a new {@code expireAfterSeconds}. */
    static Document changeOf(Document command) {
        if (command.get("index") instanceof Document change && change.get("name") instanceof String
            && change.get("expireAfterSeconds") instanceof Number) {
            return change;
        }
        throw new MongoServerError(INVALID_OPTIONS, "InvalidOptions",
            "the embedded store changes nothing but expireAfterSeconds of an index, by its name");
    }
}
