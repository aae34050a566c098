import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { newId } from '../../shared/kernel/new-ids.ts';

const safeId = /^[A-Za-z0-9._:/+=@-]{1,128}$/;

/** The id of a request: the caller's `x-request-id` if it is short and plain, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && safeId.test(given) ? given : newId();
}

/** Sends `x-request-id` with every response. */
export const requestId = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', async (request, reply) => {
      void reply.header('x-request-id', request.id);
    });
  },
  { name: 'request-id' },
);
