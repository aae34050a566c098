package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** What a query shows of each document. */
final class Projection {

    private Projection() {
    }

    /** Null if the base class must answer, which copies each document with everything in it. */
    static UnaryOperator<Document> of(Document wanted) {
        if (leavesOutWhole(wanted)) {
            Set<String> names = Set.copyOf(wanted.keySet());
            return document -> without(names, document);
        }
        Inclusion included = Inclusion.of(wanted);
        return included == null ? null : included::partOf;
    }

    /** Whether fields of the document itself are left out, and nothing else is wanted. */
    private static boolean leavesOutWhole(Document wanted) {
        return !wanted.isEmpty() && wanted.entrySet().stream().allMatch(each -> isExcluded(each.getValue())
            && !each.getKey().isEmpty() && !each.getKey().startsWith("$") && !each.getKey().contains("."));
    }

    private static boolean isExcluded(Object value) {
        return value instanceof Boolean included ? !included
            : value instanceof Number number && number.doubleValue() == 0;
    }

    private static Document without(Set<String> names, Document document) {
        Document part = new Document();
        for (Map.Entry<String, Object> field : document.entrySet()) {
            if (!names.contains(field.getKey())) {
                part.put(field.getKey(), field.getValue());
            }
        }
        return part;
    }
}
