import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf, type Precondition, readPrecondition } from '../../shared/kernel/preconditions.ts';

/** Sends an answer with its entity tag, by default that of its content. */
export function tagged<Body>(reply: FastifyReply, body: Body, tag = entityTagOf(body)): Body {
  void reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
  return body;
}

/** What a request expects to be stored before it saves; undefined where it expects nothing. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  return readPrecondition(request.headers['if-match']);
}
