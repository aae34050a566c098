package calibron.store;

import de.bwaldvogel.mongo.wire.MongoWireMessageEncoder;
import de.bwaldvogel.mongo.wire.OpCode;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;

/** Sends replies with the encoder of stored documents: the base class checks a buffer's capacity at each byte. */
final class Replies extends MongoWireMessageEncoder {

    private Replies() {
    }

    /** Installs the handler on a connection, before its first reply. */
    static void sendOn(Channel channel) {
        if (channel.pipeline().get(Replies.class) == null) {
            channel.pipeline().replace(MongoWireMessageEncoder.class, "replies", new Replies());
        }
    }

    @Override
    protected void encode(ChannelHandlerContext context, MongoMessage message, ByteBuf out) {
        int start = out.writerIndex();
        try {
            out.writeIntLE(0);
            out.writeIntLE(message.getHeader().getRequestID());
            out.writeIntLE(message.getHeader().getResponseTo());
            out.writeIntLE(OpCode.OP_MSG.getId());
            out.writeIntLE(message.getFlags());
            out.writeByte(MongoMessage.SECTION_KIND_BODY);
            BsonBytes.write(out, message.getDocument());
        } catch (RuntimeException unencodable) {
            context.channel().close();
            throw unencodable;
        }
        out.setIntLE(start, out.writerIndex() - start);
    }
}
