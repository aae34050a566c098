import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Answers with a stream of server-sent events; 204, after which clients do not come again, where nothing is left to tell. */
export function sendEvents(reply: FastifyReply, stream: Readable | null): FastifyReply {
  if (!stream) return reply.code(204).send();
  return reply
    .headers({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies of the nginx family hold answers back otherwise.
      'x-accel-buffering': 'no',
    })
    .send(stream);
}
