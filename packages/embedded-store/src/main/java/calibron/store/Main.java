package calibron.store;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import java.io.IOException;
import java.util.List;
import org.h2.mvstore.MVStore;

/**
 * A MongoDB-protocol server in one process: {@code --port <port> [--file <path>] [--password-file <path>]}, in memory
 * without a file, and open to every local process without a password. It listens on 127.0.0.1 only, after the indexes are ready, and then prints a message. On SIGTERM it commits and closes.
 */
public final class Main {

    /** Version reported to drivers. Recent drivers refuse the 5.0 that mongo-java-server reports by default. */
    private static final MongoVersion VERSION = new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
            return List.of(7, 0, 0);
        }

        @Override
        public int getWireVersion() {
            return 21;
        }
    };

    private Main() {
    }

    public static void main(String[] arguments) {
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
        int port = 0;
        String file = null;
        String passwordFile = null;
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--port" -> port = Integer.parseInt(arguments[i + 1]);
                case "--file" -> file = arguments[i + 1];
                case "--password-file" -> passwordFile = arguments[i + 1];
                default -> refuse("unknown option " + arguments[i]);
            }
        }
        if (arguments.length % 2 != 0) {
            refuse("usage: --port <port> [--file <path>] [--password-file <path>]");
        }
        serve(port, file, signIn(passwordFile));
    }

    private static SignIn signIn(String passwordFile) {
        try {
            return passwordFile == null ? null : SignIn.withPasswordIn(passwordFile);
        } catch (IOException e) {
            refuse("the password cannot be read: " + e);
            return null;
        }
    }

    private static void serve(int port, String file, SignIn signIn) {
        MVStore store = file == null ? MVStore.open(null) : DurableBackend.open(file);
        DurableBackend backend = new DurableBackend(store, signIn);
        backend.version(VERSION);
        MongoServer server = new MongoServer(backend);
        // Whatever ends the process from here on keeps the indexes that are there.
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow, "shutdown"));
        backend.makeLostIndexes();
        try {
            server.bind("127.0.0.1", port);
        } catch (Exception e) { // netty throws what the system said, checked or not
            refuse("cannot listen on port " + port + ": " + e);
        }
        System.out.println("listening on 127.0.0.1:" + server.getLocalAddress().getPort()
            + (file == null ? ", in memory" : ", data in " + file));
        System.out.println("The embedded store is meant for a single machine. For production use a MongoDB replica set:"
            + " see docs/mongodb.md.");
    }

    private static void refuse(String reason) {
        System.err.println(reason);
        System.exit(2);
    }
}
