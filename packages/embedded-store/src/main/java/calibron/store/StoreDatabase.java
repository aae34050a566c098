package calibron.store;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractSynchronizedMongoDatabase;
import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import de.bwaldvogel.mongo.oplog.Oplog;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.aggregation.Aggregation;
import io.netty.channel.Channel;
import java.util.List;
import java.util.function.Supplier;
import org.h2.mvstore.FileStore;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** A database of {@link StoreCollection}s and {@link UniqueIndex}es: each is one map of the store. */
final class StoreDatabase extends AbstractSynchronizedMongoDatabase<Object> {

    /** H2Backend finds the databases of an opened file by this prefix. */
    private static final String DOCUMENTS = "databases.";
    private static final String META = "meta.";

    private final MVStore store;
    /** Opened after the databases, which the backend finds during its construction. */
    private final Supplier<IndexFile> indexFile;
    /** The index being declared, of which the base class passes on only a part. */
    private Document declared;

    StoreDatabase(String databaseName, MVStore store, Supplier<IndexFile> indexFile, CursorRegistry cursors) {
        super(databaseName, cursors);
        this.store = store;
        this.indexFile = indexFile;
        initializeNamespacesAndIndexes();
    }

    @Override
    protected MongoCollection<Object> openOrCreateCollection(String collectionName, CollectionOptions options) {
        String name = getFullCollectionNamespace(collectionName);
        MVMap<Object, Document> documents = store.openMap(DOCUMENTS + name,
            new MVMap.Builder<Object, Document>().valueType(BsonTypes.DOCUMENT));
        MVMap<String, Object> meta = store.openMap(META + name);
        return new StoreCollection(this, collectionName, options, documents, meta, cursorRegistry);
    }

    /** Rebuilds the indexes lost in a crash. If that fails they stay lost, and everything else is served. */
    void makeLostIndexes() {
        String prefix = DOCUMENTS + getFullCollectionNamespace("");
        for (String map : store.getMapNames()) {
            if (map.startsWith(prefix)
                && resolveCollection(map.substring(prefix.length()), false) instanceof StoreCollection collection) {
                try {
                    collection.makeLostIndexes();
                } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                    System.err.println("indexes of " + collection.getFullName() + " cannot be made again: " + e);
                }
            }
        }
    }

    @Override
    protected Index<Object> openOrCreateUniqueIndex(String collectionName, String indexName, List<IndexKey> keys,
                                                    boolean sparse) {
        MVMap<KeyValue, Object> positions = store.openMap(indexMap(collectionName, indexName),
            new MVMap.Builder<KeyValue, Object>().keyType(BsonTypes.KEY));
        return new UniqueIndex(positions, indexName, keys, sparse, inOrder(collectionName, indexName, keys, null));
    }

    @Override
    protected synchronized void addIndex(Document description) {
        if (!IndexRules.isMissing(description, descriptionsOf(String.valueOf(description.get("ns"))))) {
            return;
        }
        // A collection that is created for its first index also declares the index of _id.
        Document outer = declared;
        declared = description;
        super.addIndex(description);
        declared = outer;
    }

    @Override
    protected Index<Object> openOrCreateSecondaryIndex(String collectionName, String indexName, List<IndexKey> keys,
                                                       boolean sparse) {
        Document description = declared == null ? storedDescription(collectionName, indexName) : declared;
        boolean ordered = description.get("key") instanceof Document key
            && key.values().stream().allMatch(Number.class::isInstance);
        return ordered
            ? inOrder(collectionName, indexName, keys, (Document) description.get("partialFilterExpression"))
            : super.openOrCreateSecondaryIndex(collectionName, indexName, keys, sparse);
    }

    private SecondaryIndex inOrder(String collectionName, String indexName, List<IndexKey> keys, Document partial) {
        return new SecondaryIndex(indexMap(collectionName, indexName), indexName, keys, partial, indexFile);
    }

    private Document storedDescription(String collectionName, String indexName) {
        String namespace = getFullCollectionNamespace(collectionName);
        return indexes.get().queryAllAsStream()
            .filter(each -> namespace.equals(each.get("ns")) && indexName.equals(each.get("name")))
            .findFirst().orElseGet(Document::new);
    }

    private List<Document> descriptionsOf(String namespace) {
        return indexes.get() == null ? List.of()
            : indexes.get().queryAllAsStream().filter(each -> namespace.equals(each.get("ns"))).toList();
    }

    /** The base class drops the description of an index of that name from every collection. */
    private synchronized Document dropIndexes(StoreCollection collection, Object wanted) {
        List<Document> present = descriptionsOf(collection.getFullName()).stream()
            .filter(each -> !"_id_".equals(each.get("name"))).toList();
        List<?> names = wanted instanceof List<?> list ? list : List.of(wanted);
        for (Object name : names) {
            List<Document> dropped = present.stream().filter(each -> name.equals("*") || name.equals(each.get("name"))
                || name.equals(each.get("key"))).toList();
            if (dropped.isEmpty() && !name.equals("*")) {
                throw IndexRules.notFound(name);
            }
            dropped.stream().map(each -> (String) each.get("name")).distinct()
                .forEach(each -> dropIndex(collection, each));
            for (Document each : dropped) {
                indexes.get().deleteDocuments(each, -1);
            }
        }
        return new Document("nIndexesWas", present.size() + 1).append("ok", 1.0);
    }

    private synchronized Document changeIndex(StoreCollection collection, Document command) {
        Document change = IndexRules.changeOf(command);
        Document selector = new Document("ns", collection.getFullName()).append("name", change.get("name"));
        Object seconds = change.get("expireAfterSeconds");
        Document found = storedDescription(collection.getCollectionName(), (String) change.get("name"));
        if (found.isEmpty()) {
            throw IndexRules.notFound(change.get("name"));
        }
        Document update = new Document("$set", new Document("expireAfterSeconds", seconds));
        indexes.get().updateDocuments(selector, update, ArrayFilters.empty(), true, false, NoopOplog.get());
        return new Document("expireAfterSeconds_old", found.get("expireAfterSeconds"))
            .append("expireAfterSeconds_new", seconds).append("ok", 1.0);
    }

    /** Aggregations read only what an index finds; in the base class they scan all documents. */
    @Override
    public Document handleCommand(Channel channel, String command, Document query, DatabaseResolver resolver,
                                  Oplog oplog) {
        if (resolveCollection(String.valueOf(query.get(command)), false) instanceof StoreCollection collection) {
            if (command.equalsIgnoreCase("dropIndexes")) {
                return dropIndexes(collection, query.get("index"));
            }
            if (command.equalsIgnoreCase("collMod")) {
                return changeIndex(collection, query);
            }
        }
        if (!command.equalsIgnoreCase("aggregate")
            || !(resolveCollection(String.valueOf(query.get(command)), false) instanceof StoreCollection collection)) {
            return super.handleCommand(channel, command, query, resolver, oplog);
        }
        List<Document> pipeline = Aggregation.parse(query.get("pipeline"));
        List<Document> counted = collection.counted(pipeline);
        if (counted != null) {
            Document cursor = new Document("id", 0L).append("ns", collection.getFullName()).append("firstBatch", counted);
            return new Document("cursor", cursor).append("ok", 1.0);
        }
        collection.begin(pipeline);
        try {
            return super.handleCommand(channel, command, query, resolver, oplog);
        } finally {
            collection.end();
        }
    }

    private String indexMap(String collectionName, String indexName) {
        return getFullCollectionNamespace(collectionName) + "._index_" + indexName;
    }

    @Override
    protected void dropIndex(MongoCollection<Object> collection, String indexName) {
        super.dropIndex(collection, indexName);
        removeMap(indexMap(collection.getCollectionName(), indexName));
    }

    @Override
    public void dropCollection(String collectionName, Oplog oplog) {
        super.dropCollection(collectionName, oplog);
        String name = getFullCollectionNamespace(collectionName);
        removeMap(DOCUMENTS + name);
        removeMap(META + name);
    }

    private void removeMap(String name) {
        if (store.hasMap(name)) {
            store.removeMap(name);
        }
    }

    @Override
    public void moveCollection(MongoDatabase from, MongoCollection<?> collection, String newCollectionName) {
        throw new UnsupportedOperationException("the embedded store cannot rename a collection");
    }

    @Override
    protected long getStorageSize() {
        FileStore<?> file = store.getFileStore();
        return file == null ? 0 : file.size();
    }

    @Override
    protected long getFileSize() {
        return getStorageSize();
    }
}
