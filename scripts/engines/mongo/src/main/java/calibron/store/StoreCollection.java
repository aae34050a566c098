package calibron.store;

import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import java.util.Comparator;
import java.util.stream.Stream;
import org.h2.mvstore.MVMap;

/**
 * Updates work on copies. The base class changes the stored document itself, which another client's reply, still
 * being encoded, or the commit of another collection's write would then see half changed.
 */
final class StoreCollection extends H2Collection {

    /** Guarded by the collection's monitor, which every command holds. */
    private boolean updating;

    StoreCollection(MongoDatabase database, String name, CollectionOptions options, MVMap<Object, Document> documents,
                    MVMap<String, Object> meta, CursorRegistry cursors) {
        super(database, name, options, documents, meta, cursors);
    }

    @Override
    public void addDocument(Document document) {
        Bounds.checkDocument(document);
        super.addDocument(document);
    }

    @Override
    public synchronized Document updateDocuments(Document selector, Document update, ArrayFilters arrayFilters,
                                                 boolean isMulti, boolean isUpsert, Oplog oplog) {
        updating = true;
        try {
            return super.updateDocuments(selector, update, arrayFilters, isMulti, isUpsert, oplog);
        } finally {
            updating = false;
        }
    }

    @Override
    public synchronized Document findAndModify(Document query) {
        updating = true;
        try {
            return super.findAndModify(query);
        } finally {
            updating = false;
        }
    }

    @Override
    public synchronized int count(Document query, int skip, int limit) {
        return super.count(query, skip, limit);
    }

    @Override
    protected QueryResult matchDocumentsFromStream(Document query, Stream<Document> documents, int numberToSkip,
                                                   int limit, int batchSize, Comparator<Document> comparator,
                                                   Document fieldSelector) {
        Stream<Document> matching = updating
            ? documents.filter(document -> documentMatchesQuery(document, query)).map(Document::cloneDeeply)
            : documents;
        return super.matchDocumentsFromStream(query, matching, numberToSkip, limit, batchSize, comparator, fieldSelector);
    }

    /** The size of the data would be one more map to write in each commit, and nobody asks for it. */
    @Override
    protected boolean tracksDataSize() {
        return false;
    }
}
