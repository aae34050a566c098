package calibron.store;

import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.ArrayFilters;
import de.bwaldvogel.mongo.backend.CollectionOptions;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DocumentComparator;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Collection;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.ValueComparator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.h2.mvstore.MVMap;

/**
 * Queries that no unique index serves use the best matching {@link SecondaryIndex}. Updates work on copies. The base class
 * changes the stored document itself. A reply to another client that is being encoded, or a commit for another
 * collection's write, would then see a half-changed document.
 */
final class StoreCollection extends H2Collection {

    /** Scanning fewer documents is as fast as using an index. */
    private static final int FEW = 100;
    /** An index that matches more than one in this many documents is slower than a scan of all in their order. */
    private static final int SELECTIVE = 2;
    /** So many documents are read in the order of an index if there is one: sorting them needs memory for all of them. */
    private static final int MANY = 10_000;

    /** Guarded by the collection's monitor, which every command holds. */
    private boolean updating;
    /** The current update; null outside of updates. */
    private Document change;
    private Document selector;
    /** Of the last query, which usually asks about more than one document. */
    private volatile KnownIds known;
    /** Input of the next aggregation of a thread. */
    private final ThreadLocal<Stream<Document>> begun = new ThreadLocal<>();

    StoreCollection(MongoDatabase database, String name, CollectionOptions options, MVMap<Object, Document> documents,
                    MVMap<String, Object> meta, CursorRegistry cursors) {
        super(database, name, options, documents, meta, cursors);
    }

    @Override
    public synchronized void addIndex(Index<Object> index) {
        super.addIndex(index);
    }

    @Override
    public synchronized void dropIndex(String name) {
        super.dropIndex(name);
    }

    @Override
    protected QueryResult queryDocuments(Document query, Document order, int skip, int limit, int batchSize,
                                         Document fields) {
        IndexPlan plan = planOf(query, order, limit > 0);
        if (plan == null) {
            return super.queryDocuments(query, order, skip, limit, batchSize, fields);
        }
        return matchDocumentsFromStream(documentsAt(plan.positions()), query,
            plan.isOrdered() ? null : order, skip, limit, batchSize, fields);
    }

    private Stream<Document> documentsAt(Iterator<Object> positions) {
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(positions, Spliterator.ORDERED), false)
            .map(this::getDocument).filter(Objects::nonNull);
    }

    /** The best plan for a query; null if a unique index serves it, or if a scan is better than any index. */
    private IndexPlan planOf(Document query, Document order, boolean limited) {
        if (isLeftToOthers(query) || order != null && order.containsKey("$natural")
            || getIndexes().stream().anyMatch(index -> index.canHandle(query))) {
            return null;
        }
        List<IndexPlan> best = plansOf(query, order, plans -> {
            int most = plans.stream().mapToInt(plan -> plan.merit(limited)).max().orElse(0);
            return plans.stream().filter(plan -> plan.merit(limited) == most).toList();
        });
        return best.stream()
            .min(Comparator.comparingLong(IndexPlan::count))
            .filter(plan -> plan.isOrdered() && (limited || order != null && plan.count() > MANY)
                || plan.count() <= count() / SELECTIVE)
            .orElse(null);
    }

    private boolean isLeftToOthers(Document query) {
        return query == null || query.isEmpty() || count() < FEW;
    }

    /** Plans by indexes that are there: those that are chosen are made first, and judged again by what they have. */
    private List<IndexPlan> plansOf(Document query, Document order, UnaryOperator<List<IndexPlan>> choose) {
        while (true) {
            List<IndexPlan> plans = new ArrayList<>();
            for (Index<Object> index : getIndexes()) {
                SecondaryIndex inOrder = inOrder(index);
                IndexPlan plan = inOrder == null ? null : IndexPlan.of(inOrder, query, order);
                if (plan != null) {
                    plans.add(plan);
                }
            }
            List<IndexPlan> chosen = choose.apply(plans);
            boolean made = false;
            for (IndexPlan plan : chosen) {
                made |= plan.index().make(this::streamAllDocumentsWithPosition);
            }
            if (!made) {
                return chosen;
            }
        }
    }

    /** Rebuilds the indexes lost in a crash in one scan of all documents, before any query. */
    synchronized void makeLostIndexes() {
        List<SecondaryIndex> lost = getIndexes().stream().map(StoreCollection::inOrder)
            .filter(index -> index != null && index.isLost()).toList();
        if (!lost.isEmpty()) {
            Progress progress = Progress.of(getFullName(), count(), lost.size());
            SecondaryIndex.make(lost, streamAllDocumentsWithPosition(), progress);
        }
    }

    private static SecondaryIndex inOrder(Index<Object> index) {
        return index instanceof UniqueIndex unique ? unique.inOrder()
            : index instanceof SecondaryIndex secondary ? secondary : null;
    }

    /** A useful plan, or none. */
    private List<IndexPlan> oneOf(Document query, Document order, Predicate<IndexPlan> can) {
        return plansOf(query, order, plans -> plans.stream().filter(can).limit(1).toList());
    }

    /** Gives the next aggregation of this thread only what its first stages let pass, where an index knows. */
    synchronized void begin(List<Document> pipeline) {
        Document query = stage(pipeline, 0, "$match");
        if (query == null || isLeftToOthers(query)) {
            return;
        }
        for (Index<Object> index : getIndexes()) {
            if (index.canHandle(query)) {
                Set<Object> positions = new LinkedHashSet<>();
                index.getPositions(query).forEach(positions::add);
                begun.set(documentsAt(positions.iterator()));
                return;
            }
        }
        Document order = stage(pipeline, 1, "$sort");
        String group = order == null ? null : firstOnly(stage(pipeline, 2, "$group"));
        if (group != null) {
            for (IndexPlan plan : oneOf(query, order, each -> each.canGiveFirst(group))) {
                begun.set(documentsAt(plan.firstOfEach(group)));
                return;
            }
        }
        IndexPlan plan = planOf(query, order, false);
        if (plan != null) {
            begun.set(documentsAt(plan.positions()));
        }
    }

    /** What nothing asked for is left of {@link #begin}. */
    void end() {
        begun.remove();
    }

    @Override
    public Stream<Document> queryAllAsStream() {
        Stream<Document> documents = begun.get();
        begun.remove();
        return documents == null ? super.queryAllAsStream() : documents;
    }

    /** The grouping field, if only the first document of each group is needed; else null. */
    private static String firstOnly(Document group) {
        if (group == null || !(group.get("_id") instanceof String field) || !field.startsWith("$")) {
            return null;
        }
        boolean first = group.entrySet().stream().allMatch(each -> each.getKey().equals("_id")
            || each.getValue() instanceof Document accumulator && accumulator.keySet().equals(Set.of("$first")));
        return first ? field.substring(1) : null;
    }

    private static Document stage(List<Document> pipeline, int place, String operator) {
        return place < pipeline.size() && pipeline.get(place).get(operator) instanceof Document asked ? asked : null;
    }

    /** The answer to an aggregation that only counts, in total or by a field, if an index can give it; else null. */
    synchronized List<Document> counted(List<Document> pipeline) {
        Document query = stage(pipeline, 0, "$match");
        Document group = stage(pipeline, 1, "$group");
        if (pipeline.size() != 2 || query == null || group == null || group.size() != 2 || isLeftToOthers(query)) {
            return null;
        }
        String name = group.keySet().stream().filter(key -> !key.equals("_id")).findFirst().orElse("");
        if (!(group.get(name) instanceof Document sum) || !sum.equals(new Document("$sum", 1))) {
            return null;
        }
        if (group.get("_id") instanceof String field && field.startsWith("$")) {
            return countedByField(query, field.substring(1), name);
        }
        if (group.get("_id") != null && !(group.get("_id") instanceof Number)) {
            return null;
        }
        Long count = countOf(query);
        if (count == null) {
            return null;
        }
        return count == 0 ? List.of() : List.of(new Document("_id", group.get("_id")).append(name, count.intValue()));
    }

    private List<Document> countedByField(Document query, String field, String name) {
        for (IndexPlan plan : oneOf(query, null, each -> each.canCount(field))) {
            List<Document> counts = new ArrayList<>();
            plan.countsOfEach(field).forEach((position, count) ->
                counts.add(new Document("_id", getDocument(position).get(field)).append(name, count.intValue())));
            return counts;
        }
        return null;
    }

    /** Number of matching documents, if an index can give it without reading them; else null. */
    private Long countOf(Document query) {
        for (IndexPlan plan : oneOf(query, null, IndexPlan::isExact)) {
            return plan.count();
        }
        return null;
    }

    @Override
    public synchronized int count(Document query, int skip, int limit) {
        Long count = isLeftToOthers(query) || skip > 0 || limit > 0 ? null : countOf(query);
        return count == null ? super.count(query, skip, limit) : count.intValue();
    }

    @Override
    public synchronized Document handleDistinct(Document command) {
        Document query = command.get("query") instanceof Document asked ? asked : new Document();
        String field = (String) command.get("key");
        List<Document> found = isLeftToOthers(query) ? null : firstOfEach(query, field);
        // A missing value and null have the same key in an index, but must be distinguished here.
        if (found == null || found.stream().anyMatch(document -> !document.containsKey(field))) {
            return super.handleDistinct(command);
        }
        Set<Object> values = new TreeSet<>(ValueComparator.ascWithoutListHandling());
        found.stream().filter(document -> documentMatchesQuery(document, query))
            .forEach(document -> values.add(document.get(field)));
        return new Document("values", values).append("ok", 1.0);
    }

    private List<Document> firstOfEach(Document query, String field) {
        for (IndexPlan plan : oneOf(query, null, each -> each.canGiveFirst(field))) {
            return documentsAt(plan.firstOfEach(field)).toList();
        }
        return null;
    }

    /** Each document is checked just before it is changed, and those after the last one that is changed never are. */
    private Iterator<Document> checked(QueryResult result) {
        return StreamSupport.stream(result.spliterator(), false)
            .peek(document -> UpdateRules.check(document, change, false)).iterator();
    }

    @Override
    public void addDocument(Document document) {
        Bounds.checkDocument(document);
        if (selector != null && change != null) {
            // An upsert starts from the values in its selector.
            UpdateRules.check(selector, change, true);
        }
        super.addDocument(document);
    }

    @Override
    public synchronized Document updateDocuments(Document selector, Document update, ArrayFilters arrayFilters,
                                                 boolean isMulti, boolean isUpsert, Oplog oplog) {
        begin(selector, update, !arrayFilters.isEmpty());
        try {
            return super.updateDocuments(selector, update, arrayFilters, isMulti, isUpsert, oplog);
        } finally {
            endUpdate();
        }
    }

    @Override
    public synchronized Document findAndModify(Document query) {
        begin(query.get("query") instanceof Document asked ? asked : null,
            query.get("update") instanceof Document update ? update : null,
            query.get("arrayFilters") instanceof List<?> filters && !filters.isEmpty());
        try {
            return super.findAndModify(query);
        } finally {
            endUpdate();
        }
    }

    private void begin(Document asked, Document update, boolean hasArrayFilters) {
        if (update != null) {
            UpdateForm.check(update, hasArrayFilters);
        }
        updating = true;
        selector = asked;
        change = update;
    }

    private void endUpdate() {
        updating = false;
        selector = null;
        change = null;
    }

    /** Sorts the fields that are shown, beside those that give the order, instead of whole documents. */
    @Override
    protected QueryResult matchDocumentsFromStream(Stream<Document> documents, Document query, Document order, int skip,
                                                   int limit, int batchSize, Document fields) {
        UnaryOperator<Document> wanted = fields == null || updating ? null : Projection.of(fields);
        Inclusion keys = wanted == null || order == null ? null : Inclusion.of(allOf(order));
        if (keys == null) {
            return super.matchDocumentsFromStream(documents, query, order, skip, limit, batchSize, fields);
        }
        DocumentComparator comparator = new DocumentComparator(order);
        Stream<Shown> sorted = documents.filter(document -> documentMatchesQuery(document, query))
            .map(document -> new Shown(keys.partOf(document), wanted.apply(document)))
            .sorted((a, b) -> comparator.compare(a.key(), b.key()));
        Stream<Shown> page = limit > 0 ? sorted.skip(skip).limit(limit) : sorted.skip(skip);
        return createQueryResult(page.map(Shown::document).toList(), batchSize);
    }

    /** A document as a query shows it, with the fields that give the order. */
    private record Shown(Document key, Document document) {
    }

    private static Document allOf(Document order) {
        Document fields = new Document();
        order.keySet().forEach(name -> fields.put(name, 1));
        return fields;
    }

    @Override
    protected QueryResult matchDocumentsFromStream(Document query, Stream<Document> documents, int numberToSkip,
                                                   int limit, int batchSize, Comparator<Document> comparator,
                                                   Document fieldSelector) {
        UnaryOperator<Document> wanted = fieldSelector == null || updating ? null : Projection.of(fieldSelector);
        if (wanted == null) {
            Stream<Document> found = updating
                ? documents.filter(document -> documentMatchesQuery(document, query)).map(Document::cloneDeeply)
                : documents;
            QueryResult result = super.matchDocumentsFromStream(query, found, numberToSkip, limit, batchSize, comparator,
                fieldSelector);
            return change == null ? result : new QueryResult(() -> checked(result), result.getCursorId());
        }
        Stream<Document> matching = documents.filter(document -> documentMatchesQuery(document, query));
        Stream<Document> sorted = comparator == null ? matching : matching.sorted(comparator);
        Stream<Document> page = limit > 0 ? sorted.skip(numberToSkip).limit(limit) : sorted.skip(numberToSkip);
        return createQueryResult(page.map(wanted).toList(), batchSize);
    }

    /** A list of many ids is looked up in a set: comparing each document with each id took longer than reading it. */
    @Override
    protected boolean documentMatchesQuery(Document document, Document query) {
        KnownIds ids = known;
        if (ids == null || ids.query() != query) {
            ids = KnownIds.of(query);
            known = ids;
        }
        return ids.ids() == null ? super.documentMatchesQuery(document, query) : ids.ids().contains(document.get("_id"));
    }

    /** The texts of a query that asks for the documents of these ids and for nothing else; null for other queries. */
    private record KnownIds(Document query, Set<?> ids) {

        static KnownIds of(Document query) {
            boolean only = query.size() == 1 && query.get("_id") instanceof Document condition && condition.size() == 1
                && condition.get("$in") instanceof List<?> values && values.stream().allMatch(String.class::isInstance);
            return new KnownIds(query, only ? new HashSet<>((List<?>) ((Document) query.get("_id")).get("$in")) : null);
        }
    }

    /** Not tracked: the data size would be another map to write in each commit, and it is not needed. */
    @Override
    protected boolean tracksDataSize() {
        return false;
    }
}
