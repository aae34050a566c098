package calibron.store;

import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.backend.QueryResult;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerException;
import de.bwaldvogel.mongo.wire.message.MongoQuery;
import io.netty.channel.Channel;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;

/**
 * Commits before each reply, so that an acknowledged write survives a kill -9.
 *
 * <p>A write touches several maps (documents, indexes, sizes), and a commit in the middle of it would store a document
 * without its index entry. Therefore writing commands share a gate that a commit takes exclusively. A commit covers all
 * commands that passed the gate before it, so concurrent writers share one commit.
 */
final class DurableBackend extends H2Backend {

    /** Commands that change nothing and need no commit. All other commands count as writes. */
    private static final Set<String> READS = Set.of(
        "find", "getmore", "killcursors", "count", "distinct", "listcollections", "listindexes", "listdatabases",
        "ismaster", "hello", "ping", "buildinfo", "serverstatus", "dbstats", "collstats", "endsessions",
        "connectionstatus", "whatsmyuri", "getlog", "hostinfo", "getcmdlineopts", "validate");

    /** Same interval as mongod's journal flush. A power failure, unlike a kill, may lose the writes of one interval. */
    private static final int SYNC_MILLIS = 100;
    private static final int COMPACT_MILLIS = 2_000;
    private static final int COMPACT_BELOW_PERCENT = 50;
    private static final int COMPACT_BYTES = 8 * 1024 * 1024;
    /** Smaller files are not compacted: rewriting their documents costs more than the freed space is worth. */
    private static final long COMPACT_FROM_BYTES = 128L * 1024 * 1024;
    /** Replaced chunks are kept this long for recovery after a power failure. Many syncs happen in that time. */
    private static final int RETENTION_MILLIS = 2_000;

    /** Uncached documents are decoded at each scan, which is ten times slower. */
    private static final int CACHE_MEGABYTES = 384;

    /** Exit code of a store that cannot continue. */
    private static final int ENDED = 3;

    private final MVStore store;
    /** Null if the store is open to every local process. */
    private final SignIn signIn;
    private final IndexFile indexFile;
    private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    private final ScheduledExecutorService upkeep = Executors.newSingleThreadScheduledExecutor(DurableBackend::thread);
    private volatile long syncedVersion;
    /** Null without a file. */
    private final Snapshots snapshots;

    DurableBackend(MVStore store, SignIn signIn) {
        super(store);
        this.store = store;
        this.signIn = signIn;
        indexFile = IndexFile.beside(store);
        snapshots = isInMemory() ? null : new Snapshots(store, gate.writeLock());
        if (isInMemory()) {
            return;
        }
        commitWritesUpTo(store.getCurrentVersion());
        repeat(this::sync, SYNC_MILLIS);
        repeat(this::compact, COMPACT_MILLIS);
    }

    /** Rebuilds the indexes lost in a crash. Otherwise the first query on each index would wait for its rebuild. */
    void makeLostIndexes() {
        reading(() -> {
            for (String name : listDatabaseNames()) {
                if (resolveDatabase(name) instanceof StoreDatabase database) {
                    database.makeLostIndexes();
                }
            }
            return null;
        });
    }

    /**
     * Keeps the parts of both files in which a scan began. Otherwise a scan that takes longer than the retention time fails,
     * because what other commands have replaced meanwhile is removed.
     */
    <T> T reading(Supplier<T> scan) {
        MVStore.TxCounter versionOfDocuments = store.registerVersionUsage();
        try {
            return indexFile.reading(scan);
        } finally {
            store.deregisterVersionUsage(versionOfDocuments);
        }
    }

    /** A file store without automatic commits, which would split a write. */
    static MVStore open(String file) {
        MVStore store = new MVStore.Builder().fileName(file).cacheSize(CACHE_MEGABYTES)
            .autoCommitDisabled().autoCommitBufferSize(0).open();
        store.setRetentionTime(RETENTION_MILLIS);
        return store;
    }

    @Override
    public Document handleCommand(Channel channel, String databaseName, String command, Document query) {
        return reading(() -> carryOut(channel, databaseName, command, query));
    }

    private Document carryOut(Channel channel, String databaseName, String command, Document query) {
        OversizedCommands.answerOn(channel);
        Replies.sendOn(channel);
        Bounds.checkCommand(query);
        Document signingIn = signIn == null ? null : signIn.answer(channel, command, query);
        if (signingIn != null) {
            return signingIn;
        }
        if (Snapshots.COMMAND.equals(command) && snapshots != null) {
            return snapshots.take(query);
        }
        if (!isInMemory() && !isRead(command, query)) {
            return handleWrite(channel, databaseName, command, query);
        }
        try {
            if (command.equalsIgnoreCase("hello")) {
                Document hello = super.handleCommand(channel, databaseName, "ismaster", query)
                    .append("isWritablePrimary", true);
                return signIn == null ? hello : SignIn.withMechanisms(query, hello);
            }
            Document answer = super.handleCommand(channel, databaseName, command, query);
            if (command.equalsIgnoreCase("ismaster") && signIn != null) {
                return SignIn.withMechanisms(query, answer);
            }
            if (command.equalsIgnoreCase("serverStatus") && !isInMemory()) {
                answer.append("commits", store.getCurrentVersion());
            }
            return answer;
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw new MongoServerException("the store could not carry out " + command + ": " + e, e);
        }
    }

    /** Queries of the earlier protocol, which are no commands. */
    @Override
    public QueryResult handleQuery(MongoQuery query) {
        if (signIn != null) {
            signIn.require(query.getChannel(), "query");
        }
        return super.handleQuery(query);
    }

    @Override
    public Collection<Document> getCurrentOperations(MongoQuery query) {
        if (signIn != null) {
            signIn.require(query.getChannel(), "currentOp");
        }
        return super.getCurrentOperations(query);
    }

    private Document handleWrite(Channel channel, String databaseName, String command, Document query) {
        long version;
        gate.readLock().lock();
        try {
            return super.handleCommand(channel, databaseName, command, query);
        } catch (Error e) {
            throw end(command + " was cut short", e);
        } finally {
            version = store.getCurrentVersion();
            gate.readLock().unlock();
            commitWritesUpTo(version);
        }
    }

    private void commitWritesUpTo(long version) {
        gate.writeLock().lock();
        try {
            if (store.getCurrentVersion() <= version) {
                store.commit();
            }
        } catch (MVStoreException e) {
            throw end("writes cannot be stored", e);
        } finally {
            gate.writeLock().unlock();
        }
    }

    /**
     * Ends the process at once without storing anything more. Its supervisor restarts it with all acknowledged writes. A
     * store that continued after this would answer from a half-changed state, or not at all.
     */
    private static Error end(String reason, Throwable cause) {
        System.err.println("the store ends: " + reason + ": " + cause);
        Runtime.getRuntime().halt(ENDED);
        return new AssertionError(cause);
    }

    /** One that lets the process end that fails before it serves. */
    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "upkeep");
        thread.setDaemon(true);
        return thread;
    }

    /** Catches errors, because the executor silently drops a task that has failed once. */
    private void repeat(Runnable task, int millis) {
        upkeep.scheduleWithFixedDelay(() -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                throw end("its upkeep failed", e);
            }
        }, millis, millis, TimeUnit.MILLISECONDS);
    }

    private static boolean isRead(String command, Document query) {
        String name = command.toLowerCase(Locale.ROOT);
        if (name.equals("aggregate")) {
            return query.get("pipeline") instanceof List<?> stages && stages.stream().noneMatch(DurableBackend::writes);
        }
        return READS.contains(name);
    }

    private static boolean writes(Object stage) {
        return stage instanceof Document document && (document.containsKey("$out") || document.containsKey("$merge"));
    }

    private void sync() {
        long version = store.getCurrentVersion();
        if (version != syncedVersion) {
            store.sync();
            syncedVersion = version;
        }
    }

    private void compact() {
        if (store.getFileStore().size() < COMPACT_FROM_BYTES || snapshots.areTaken()) {
            return;
        }
        gate.writeLock().lock();
        try {
            store.compact(COMPACT_BELOW_PERCENT, COMPACT_BYTES);
            store.commit();
        } finally {
            gate.writeLock().unlock();
        }
    }

    @Override
    protected MongoDatabase openOrCreateDatabase(String databaseName) {
        return new StoreDatabase(databaseName, getMvStore(), () -> indexFile, getCursorRegistry());
    }

    @Override
    public void close() {
        upkeep.shutdown();
        gate.writeLock().lock();
        try {
            indexFile.closeAfter(super::close);
        } finally {
            gate.writeLock().unlock();
        }
    }
}
