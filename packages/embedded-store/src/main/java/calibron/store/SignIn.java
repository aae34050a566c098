package calibron.store;

import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Sign-in of the store's only user, by SCRAM-SHA-256 (RFC 5802, RFC 7677) in the form that MongoDB's drivers use. A
 * connection that has not signed in gets no data. The user is an option of the process; nothing about it is stored.
 */
final class SignIn {

    private static final String USER = "calibron";
    private static final String MECHANISM = "SCRAM-SHA-256";
    /** The smallest number that drivers accept. The password is random, so more would not make it safer. */
    private static final int ITERATIONS = 4096;
    private static final int KEY_BITS = 256;
    private static final int NONCE_BYTES = 18;
    private static final int UNAUTHORIZED = 13;
    private static final int AUTHENTICATION_FAILED = 18;
    /** Commands that a connection may send before it has signed in, as with mongod. */
    private static final Set<String> OPEN = Set.of("hello", "ismaster", "ping", "buildinfo", "endsessions");

    private static final AttributeKey<Boolean> SIGNED_IN = AttributeKey.valueOf("calibron.signedIn");
    private static final AttributeKey<Exchange> EXCHANGE = AttributeKey.valueOf("calibron.exchange");

    private final SecureRandom random = new SecureRandom();
    private final byte[] salt = bytes(NONCE_BYTES);
    private final byte[] storedKey;
    private final byte[] serverKey;

    /** An exchange that has begun. */
    private record Exchange(String clientFirst, String serverFirst, String nonce, boolean endsEarly) {
    }

    SignIn(String password) {
        try {
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, KEY_BITS);
            byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
            storedKey = digest(hmac(salted, "Client Key"));
            serverKey = hmac(salted, "Server Key");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The password is the content of a file, so that it does not appear in the list of processes. */
    static SignIn withPasswordIn(String file) throws IOException {
        String password = Files.readString(Path.of(file)).strip();
        if (password.isEmpty()) {
            throw new IOException(file + " is empty");
        }
        return new SignIn(password);
    }

    /** The answer to a command of the sign-in; null for any other command that the connection may send. */
    Document answer(Channel channel, String command, Document query) {
        switch (command.toLowerCase(Locale.ROOT)) {
            case "saslstart":
                return start(channel, query);
            case "saslcontinue":
                return finish(channel, query);
            case "logout":
                channel.attr(SIGNED_IN).set(null);
                return new Document("ok", 1.0);
            default:
                if (!OPEN.contains(command.toLowerCase(Locale.ROOT))) {
                    require(channel, command);
                }
                return null;
        }
    }

    void require(Channel channel, String command) {
        if (channel.attr(SIGNED_IN).get() == null) {
            throw new MongoServerError(UNAUTHORIZED, "Unauthorized", "command " + command + " requires authentication");
        }
    }

    /** Adds the mechanisms of the user to the answer to a first command that asks for them. */
    static Document withMechanisms(Document query, Document answer) {
        return query.containsKey("saslSupportedMechs") ? answer.append("saslSupportedMechs", List.of(MECHANISM)) : answer;
    }

    private Document start(Channel channel, Document query) {
        channel.attr(EXCHANGE).set(null);
        String message = payloadOf(query);
        Map<String, String> fields = fieldsOf(message);
        String nonce = fields.get("r");
        if (!MECHANISM.equals(query.get("mechanism")) || !message.startsWith("n,,") || nonce == null || nonce.isEmpty()
            || !USER.equals(fields.get("n"))) {
            throw failed();
        }
        String both = nonce + Base64.getEncoder().encodeToString(bytes(NONCE_BYTES));
        String reply = "r=" + both + ",s=" + Base64.getEncoder().encodeToString(salt) + ",i=" + ITERATIONS;
        boolean endsEarly = query.get("options") instanceof Document options
            && Boolean.TRUE.equals(options.get("skipEmptyExchange"));
        channel.attr(EXCHANGE).set(new Exchange(message.substring("n,,".length()), reply, both, endsEarly));
        return replyOf(reply, false);
    }

    private Document finish(Channel channel, Document query) {
        String message = payloadOf(query);
        if (message.isEmpty() && channel.attr(SIGNED_IN).get() != null) {
            return replyOf("", true);
        }
        Exchange exchange = channel.attr(EXCHANGE).getAndSet(null);
        int proofAt = message.lastIndexOf(",p=");
        if (exchange == null || proofAt < 0 || !exchange.nonce.equals(fieldsOf(message).get("r"))) {
            throw failed();
        }
        String signed = exchange.clientFirst + "," + exchange.serverFirst + "," + message.substring(0, proofAt);
        if (!MessageDigest.isEqual(storedKey, digest(clientKey(message.substring(proofAt + 3), signed)))) {
            throw failed();
        }
        channel.attr(SIGNED_IN).set(true);
        return replyOf("v=" + Base64.getEncoder().encodeToString(hmac(serverKey, signed)), exchange.endsEarly);
    }

    /** The client's key, recovered from its proof. */
    private byte[] clientKey(String proof, String signed) {
        byte[] key = hmac(storedKey, signed);
        try {
            byte[] given = Base64.getDecoder().decode(proof);
            if (given.length != key.length) {
                throw failed();
            }
            for (int i = 0; i < key.length; i++) {
                key[i] ^= given[i];
            }
            return key;
        } catch (IllegalArgumentException e) {
            throw failed();
        }
    }

    private static Document replyOf(String payload, boolean done) {
        return new Document("conversationId", 1).append("done", done)
            .append("payload", new BinData(payload.getBytes(StandardCharsets.UTF_8))).append("ok", 1.0);
    }

    private static String payloadOf(Document query) {
        Object payload = query.get("payload");
        if (payload instanceof BinData data) {
            return new String(data.getData(), StandardCharsets.UTF_8);
        }
        if (payload instanceof byte[] data) {
            return new String(data, StandardCharsets.UTF_8);
        }
        throw failed();
    }

    /** Fields {@code name=value} of a message; a repeated name invalidates it. */
    private static Map<String, String> fieldsOf(String message) {
        try {
            return Stream.of(message.split(",")).filter(part -> part.length() >= 2 && part.charAt(1) == '=')
                .collect(Collectors.toMap(part -> part.substring(0, 1), part -> part.substring(2)));
        } catch (IllegalStateException e) {
            throw failed();
        }
    }

    private static MongoServerError failed() {
        return new MongoServerError(AUTHENTICATION_FAILED, "AuthenticationFailed", "Authentication failed.");
    }

    private byte[] bytes(int count) {
        byte[] made = new byte[count];
        random.nextBytes(made);
        return made;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] digest(byte[] data) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
