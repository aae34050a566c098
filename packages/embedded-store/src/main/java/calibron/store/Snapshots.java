package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Lock;
import org.h2.mvstore.FileStore;
import org.h2.mvstore.MVStore;

/**
 * Copies of the file as it was at one moment, taken while it is in use: {@code {calibronSnapshot: 1, to: "<path>"}}. The file is
 * a log. While a copy is made, no space is reused, so what belongs to that moment stays where it is, and writes only add to the
 * end of the file.
 */
final class Snapshots {

    static final String COMMAND = "calibronSnapshot";

    /** The header of the file, which says where the newest part begins. Only it is overwritten. */
    private static final int HEADER_BYTES = 2 * 4096;
    private static final int COPY_BYTES = 1024 * 1024;

    private final MVStore store;
    private final FileStore<?> file;
    /** Held by whoever needs that no write is under way. */
    private final Lock exclusive;
    private volatile boolean areTaken;

    Snapshots(MVStore store, Lock exclusive) {
        this.store = store;
        this.file = store.getFileStore();
        this.exclusive = exclusive;
    }

    /** Whether a copy is being made. Nothing may be moved within the file meanwhile. */
    boolean areTaken() {
        return areTaken;
    }

    /** Writes are held only while the header is copied. The copy must not exist yet. */
    synchronized Document take(Document query) {
        Path to = Path.of(String.valueOf(query.get("to")));
        try (FileChannel copy = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            try {
                return new Document("bytes", write(copy)).append("ok", 1.0);
            } catch (IOException | RuntimeException e) {
                delete(to);
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            throw new MongoServerException("the snapshot could not be written: " + e, e);
        }
    }

    private long write(FileChannel to) throws IOException {
        int retention = file.getRetentionTime();
        areTaken = true;
        try {
            long size;
            exclusive.lock();
            try {
                // Parts that are replaced meanwhile must neither be overwritten nor cut off.
                file.setRetentionTime(Integer.MAX_VALUE);
                file.setReuseSpace(false);
                store.commit();
                size = file.size();
                copy(0, HEADER_BYTES, to);
            } finally {
                exclusive.unlock();
            }
            for (long position = HEADER_BYTES; position < size; position += COPY_BYTES) {
                copy(position, (int) Math.min(COPY_BYTES, size - position), to);
            }
            to.force(true);
            return size;
        } finally {
            file.setReuseSpace(true);
            file.setRetentionTime(retention);
            areTaken = false;
        }
    }

    private void copy(long position, int length, FileChannel to) throws IOException {
        ByteBuffer bytes = file.readFully(null, position, length);
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            System.err.println("an unfinished snapshot stays: " + e);
        }
    }
}
