package calibron.store;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BiConsumer;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.ObjectDataType;

/** External merge sort for index entries that do not fit in memory: sorted runs are written to a file, then merged. */
final class SortedRuns implements Closeable {

    private static final int READ_AT_ONCE = 32 * 1024;
    private static final ObjectDataType POSITIONS = new ObjectDataType();

    private record Entry(byte[] key, Object position) {
    }

    private final Path directory;
    private final int sortedAtOnce;
    private final List<Entry> unsorted = new ArrayList<>();
    /** Where each run ends in the file. */
    private final List<Long> ends = new ArrayList<>();
    private FileChannel file;

    /** @param directory of the file; null for the system's own place */
    SortedRuns(Path directory, int sortedAtOnce) {
        this.directory = directory;
        this.sortedAtOnce = Math.max(1, sortedAtOnce);
    }

    void add(byte[] key, Object position) {
        unsorted.add(new Entry(key, position));
        if (unsorted.size() >= sortedAtOnce) {
            try {
                spill();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void sort() {
        unsorted.sort((a, b) -> Arrays.compareUnsigned(a.key, b.key));
    }

    private void spill() throws IOException {
        if (file == null) {
            Path path = directory == null ? Files.createTempFile("index", ".runs")
                : Files.createTempFile(directory, "index", ".runs");
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        }
        sort();
        WriteBuffer run = new WriteBuffer();
        for (Entry entry : unsorted) {
            run.putInt(entry.key.length).put(entry.key);
            int length = run.position();
            run.putInt(0);
            POSITIONS.write(run, entry.position);
            run.putInt(length, run.position() - length - Integer.BYTES);
        }
        ByteBuffer bytes = run.getBuffer();
        bytes.flip();
        while (bytes.hasRemaining()) {
            file.write(bytes, file.size());
        }
        ends.add(file.size());
        unsorted.clear();
    }

    /** Gives all entries in the order of their keys, once. */
    void forEach(BiConsumer<byte[], Object> given) {
        if (file == null) {
            sort();
            unsorted.forEach(entry -> given.accept(entry.key, entry.position));
            unsorted.clear();
            return;
        }
        try {
            spill();
            merge(given);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void merge(BiConsumer<byte[], Object> given) throws IOException {
        PriorityQueue<Run> runs =
            new PriorityQueue<>(Comparator.comparing((Run run) -> run.first.key, Arrays::compareUnsigned));
        long start = 0;
        for (long end : ends) {
            Run run = new Run(start, end);
            if (run.next()) {
                runs.add(run);
            }
            start = end;
        }
        while (!runs.isEmpty()) {
            Run run = runs.poll();
            given.accept(run.first.key, run.first.position);
            if (run.next()) {
                runs.add(run);
            }
        }
    }

    @Override
    public void close() {
        unsorted.clear();
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A part of the file that is in order. */
    private final class Run {

        private final DataInputStream rest;
        private Entry first;

        Run(long start, long end) {
            rest = new DataInputStream(new BufferedInputStream(new Part(start, end), READ_AT_ONCE));
        }

        boolean next() throws IOException {
            byte[] size = rest.readNBytes(Integer.BYTES);
            if (size.length == 0) {
                return false;
            }
            byte[] key = rest.readNBytes(ByteBuffer.wrap(size).getInt());
            byte[] position = rest.readNBytes(rest.readInt());
            first = new Entry(key, POSITIONS.read(ByteBuffer.wrap(position)));
            return true;
        }
    }

    private final class Part extends InputStream {

        private final long end;
        private long at;

        Part(long start, long end) {
            at = start;
            this.end = end;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (at >= end) {
                return -1;
            }
            int most = (int) Math.min(length, end - at);
            int count = file.read(ByteBuffer.wrap(into, offset, most), at);
            at += Math.max(0, count);
            return count;
        }
    }
}
