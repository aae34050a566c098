import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import { entityTagOf, type Precondition, readPrecondition } from '../../shared/kernel/preconditions.ts';

/** Sends a response with an entity tag, by default computed from its content. */
export function tagged<Body>(reply: FastifyReply, body: Body, tag = entityTagOf(body)): Body {
  void reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
  return body;
}

/**
 * Sets the entity tag of an answer that is made only if the caller does not have it already.
 * @returns the 304 answer if the caller's copy is current; null if the answer must be made
 */
export function unchangedAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  tag: string,
): FastifyReply | null {
  void reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
  return fresh(request.headers, { etag: tag }) ? reply.code(304).send() : null;
}

/** The stored version that a saving request expects (`If-Match`); undefined if it has no expectation. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  return readPrecondition(request.headers['if-match']);
}
