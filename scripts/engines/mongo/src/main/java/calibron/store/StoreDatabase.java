package calibron.store;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.AbstractSynchronizedMongoDatabase;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.List;
import org.h2.mvstore.FileStore;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** A database of {@link StoreCollection}s and {@link UniqueIndex}es: each is one map of the store. */
final class StoreDatabase extends AbstractSynchronizedMongoDatabase<Object> {

    /** H2Backend finds the databases of an opened file by this prefix. */
    private static final String DOCUMENTS = "databases.";
    private static final String META = "meta.";

    private final MVStore store;

    StoreDatabase(String databaseName, MVStore store, CursorRegistry cursors) {
        super(databaseName, cursors);
        this.store = store;
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

    @Override
    protected Index<Object> openOrCreateUniqueIndex(String collectionName, String indexName, List<IndexKey> keys,
                                                    boolean sparse) {
        MVMap<KeyValue, Object> positions = store.openMap(indexMap(collectionName, indexName),
            new MVMap.Builder<KeyValue, Object>().keyType(BsonTypes.KEY));
        return new UniqueIndex(positions, indexName, keys, sparse);
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
