import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Responds with a stream of server-sent events, or with 204 if there are none left: clients do not reconnect after a 204. */
export function sendEvents(reply: FastifyReply, stream: Readable | null): FastifyReply {
  if (!stream) return reply.code(204).send();
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Otherwise nginx and similar proxies buffer the response.
      'x-accel-buffering': 'no',
    })
    .send(stream);
}
