package calibron.store;

import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.BsonConstants;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import de.bwaldvogel.mongo.wire.message.MessageHeader;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.ByteOrder;

/**
 * Answers commands with a document larger than 16 MB as mongod does. The next handler would close the connection, which a
 * client would interpret as an unavailable store.
 */
final class OversizedCommands extends LengthFieldBasedFrameDecoder {

    private static final int LENGTH_BYTES = 4;
    private static final int OPCODE_AT = 12;
    private static final int OP_MSG = 2013;
    private static final int SECTIONS_AT = 20;

    private OversizedCommands() {
        super(ByteOrder.LITTLE_ENDIAN, MongoWireProtocolHandler.MAX_MESSAGE_SIZE_BYTES, 0, LENGTH_BYTES, -LENGTH_BYTES, 0,
            true);
    }

    /** Installs the handler on a connection. */
    static void answerOn(Channel channel) {
        if (channel.pipeline().get(OversizedCommands.class) == null) {
            ChannelHandlerContext reading = channel.pipeline().context(MongoWireProtocolHandler.class);
            channel.pipeline().addBefore(reading.name(), "oversized", new OversizedCommands());
        }
    }

    @Override
    protected Object decode(ChannelHandlerContext context, ByteBuf in) throws Exception {
        Object frame = super.decode(context, in);
        if (!(frame instanceof ByteBuf message) || !isOversized(message)) {
            return frame;
        }
        int request = message.getIntLE(LENGTH_BYTES);
        message.release();
        Document reply = new Document("ok", 0.0)
            .append("errmsg", "BSONObj size is invalid: a document of the command is larger than 16 MB")
            .append("code", Bounds.OBJECT_TOO_LARGE).append("codeName", "BSONObjectTooLarge");
        context.writeAndFlush(new MongoMessage(context.channel(), new MessageHeader(0, request), reply));
        return null;
    }

    private static boolean isOversized(ByteBuf message) {
        if (message.getIntLE(OPCODE_AT) != OP_MSG) {
            return false;
        }
        int at = SECTIONS_AT;
        while (at + 1 + LENGTH_BYTES <= message.readableBytes()) {
            int size = message.getIntLE(at + 1);
            boolean isSequence = message.getByte(at) == MongoMessage.SECTION_KIND_DOCUMENT_SEQUENCE;
            if (isSequence ? hasOversized(message, at + 1, size) : isTooLarge(size)) {
                return true;
            }
            if (size <= 0) {
                return false;
            }
            at += 1 + size;
        }
        return false;
    }

    /** A sequence is its size, its name, which ends with a zero, and documents up to its end. */
    private static boolean hasOversized(ByteBuf message, int start, int size) {
        int end = Math.min(start + size, message.readableBytes());
        int nameLength = end - start > LENGTH_BYTES ? message.bytesBefore(start + LENGTH_BYTES, end - start - LENGTH_BYTES,
            (byte) 0) : -1;
        int at = start + LENGTH_BYTES + nameLength + 1;
        while (nameLength >= 0 && at + LENGTH_BYTES <= end) {
            int length = message.getIntLE(at);
            if (isTooLarge(length)) {
                return true;
            }
            if (length <= 0) {
                return false;
            }
            at += length;
        }
        return false;
    }

    private static boolean isTooLarge(int length) {
        return length - LENGTH_BYTES > BsonConstants.MAX_BSON_OBJECT_SIZE;
    }
}
