import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { createFairQueue, QueueFull } from '../../shared/kernel/fair-queue.ts';
import { askerOf } from './addresses.ts';
import { createResponseTurns } from './response-turns.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer is an archive that is compressed while it is sent. */
    isArchive?: boolean;
  }
}

/**
 * Maximum number of archives that a process sends at a time. Compression and file reads use the same few threads as the reads of
 * everyone else, so a user or an address without a token has few of them. A slow reader keeps only its own places.
 */
const ARCHIVES = { atOnce: 64, atOncePerUser: 2, waiting: 400, waitingPerUser: 20 };

/** Queues archives fairly between users. A turn ends when the archive was sent, or when its reader has gone. */
export const archiveTurns = fastifyPlugin(
  async (app: FastifyInstance) => {
    const turns = createResponseTurns(createFairQueue(ARCHIVES));

    /** @throws too_many_requests */
    app.addHook('preHandler', async (request, reply) => {
      if (!request.routeOptions.config.isArchive) return;
      const { kind, id } = askerOf(request);
      await turns.take({ user: `${kind} ${id}` }, request, reply).catch((thrown: unknown) => {
        throw thrown instanceof QueueFull ? tooMany() : thrown;
      });
    });
    app.addHook('onResponse', async (request) => turns.end(request));
  },
  { name: 'archive-turns', dependencies: ['authentication'] },
);

function tooMany(): CalibronError {
  return new CalibronError('too_many_requests', 'Too many archives are being made; wait for one of them.', {
    retryAfter: 5,
  });
}
