import type { FastifyReply, FastifyRequest } from 'fastify';
import { entityTagOf, type Precondition, readPrecondition } from '../../shared/kernel/preconditions.ts';

/** Sends a response with an entity tag, by default computed from its content. */
export function tagged<Body>(reply: FastifyReply, body: Body, tag = entityTagOf(body)): Body {
  void reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
  return body;
}

/** The stored version that a saving request expects (`If-Match`); undefined if it has no expectation. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  return readPrecondition(request.headers['if-match']);
}
