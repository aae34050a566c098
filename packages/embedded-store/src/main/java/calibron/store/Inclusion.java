package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The projection of a query; fields keep their order. The base class compares all paths with each other for each query,
 * and parses each path again for each document. With dozens of paths, this costs more than the rest of the query.
 */
final class Inclusion {

    private static final String ID = "_id";

    /** The wanted part of each field, by name; null for the whole field. */
    private final Map<String, Inclusion> fields = new HashMap<>();

    private Inclusion() {
    }

    /** Null if the base class must answer: excluded fields, parts of arrays, colliding paths. */
    static Inclusion of(Document wanted) {
        Inclusion all = new Inclusion();
        boolean some = false;
        for (Map.Entry<String, Object> each : wanted.entrySet()) {
            Boolean included = isIncluded(each.getValue());
            boolean isId = each.getKey().equals(ID);
            if (included == null || !included && !isId) {
                return null;
            }
            if (included) {
                if (!all.add(each.getKey().split("\\.", -1))) {
                    return null;
                }
                some |= !isId;
            }
        }
        if (!some) {
            return null;
        }
        if (!wanted.containsKey(ID)) {
            all.fields.put(ID, null);
        }
        return all;
    }

    private static Boolean isIncluded(Object value) {
        if (value instanceof Boolean included) {
            return included;
        }
        return value instanceof Number number ? (Boolean) (number.doubleValue() != 0) : null;
    }

    private boolean add(String[] path) {
        Inclusion at = this;
        for (int part = 0; part < path.length; part++) {
            String name = path[part];
            boolean last = part == path.length - 1;
            if (name.isEmpty() || name.startsWith("$") || at.fields.containsKey(name)
                && (last || at.fields.get(name) == null)) {
                return false;
            }
            if (last) {
                at.fields.put(name, null);
            } else {
                at = at.fields.computeIfAbsent(name, key -> new Inclusion());
            }
        }
        return true;
    }

    Document partOf(Document document) {
        Document part = new Document();
        if (fields.containsKey(ID) && document.containsKey(ID)) {
            put(part, ID, document.get(ID));
        }
        document.forEach((name, value) -> put(part, name, value));
        return part;
    }

    private void put(Document part, String name, Object value) {
        if (!fields.containsKey(name) || part.containsKey(name)) {
            return;
        }
        Inclusion within = fields.get(name);
        if (within == null) {
            part.put(name, value);
        } else if (value instanceof Document document) {
            part.put(name, within.partOf(document));
        } else if (value instanceof Collection<?> elements) {
            part.put(name, within.partsOf(elements));
        }
    }

    /** Of what is no document, nothing can be a part. */
    private List<Object> partsOf(Collection<?> elements) {
        List<Object> parts = new ArrayList<>();
        for (Object element : elements) {
            if (element instanceof Document document) {
                parts.add(partOf(document));
            } else if (element instanceof Collection<?> inner) {
                parts.add(partsOf(inner));
            }
        }
        return parts;
    }
}
