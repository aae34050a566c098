import de.bwaldvogel.mongo.bson.Document;
import java.lang.reflect.Field;
import java.util.List;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.DataType;

/** {@code <file> <collection> <_id> <n>}: sets n as the releases before ordered indexes did, which left these alone. */
public final class WriteAsOlderRelease {

    private WriteAsOlderRelease() {
    }

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws ReflectiveOperationException {
        Field type = Class.forName("calibron.store.BsonTypes").getDeclaredField("DOCUMENT");
        type.setAccessible(true);
        try (MVStore store = MVStore.open(arguments[0])) {
            MVMap<Object, Document> documents = store.openMap("databases." + arguments[1],
                new MVMap.Builder<Object, Document>().valueType((DataType<Document>) type.get(null)));
            for (Object position : List.copyOf(documents.keySet())) {
                Document document = documents.get(position);
                if (arguments[2].equals(document.get("_id"))) {
                    Document changed = document.cloneDeeply();
                    changed.put("n", Integer.parseInt(arguments[3]));
                    documents.put(position, changed);
                }
            }
        }
    }
}
