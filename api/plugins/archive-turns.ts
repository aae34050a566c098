import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { createFairQueue, QueueFull } from '../../shared/kernel/fair-queue.ts';
import { askerOf } from './addresses.ts';

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
    const queue = createFairQueue(ARCHIVES);
    const underWay = new WeakMap<FastifyRequest, () => void>();

    app.addHook('preHandler', async (request, reply) => {
      if (request.routeOptions.config.isArchive) await takeTurn(request, reply);
    });
    app.addHook('onResponse', async (request) => {
      underWay.get(request)?.();
    });

    /** Resolves when the turn starts. @throws too_many_requests */
    function takeTurn(request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
      const { kind, id } = askerOf(request);
      return new Promise((begin, refuse) => {
        const turn = () =>
          new Promise<void>((end) => {
            underWay.set(request, end);
            if (raw.destroyed) end();
            else raw.once('close', end);
            begin();
          });
        queue.run({ user: `${kind} ${id}` }, turn).catch((thrown: unknown) => {
          refuse(thrown instanceof QueueFull ? tooMany() : thrown);
        });
      });
    }
  },
  { name: 'archive-turns', dependencies: ['authentication'] },
);

function tooMany(): CalibronError {
  return new CalibronError('too_many_requests', 'Too many archives are being made; wait for one of them.', {
    retryAfter: 5,
  });
}
