import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FairQueue, Share } from '../../shared/kernel/fair-queue.ts';

/** Turns of requests in a fair queue, each of which ends with its answer. */
export function createResponseTurns(queue: Pick<FairQueue, 'run'>) {
  const underWay = new WeakMap<FastifyRequest, () => void>();
  return {
    /** Resolves when the turn of a request starts. @throws QueueFull */
    take(share: Share, request: FastifyRequest, { raw }: FastifyReply): Promise<void> {
      return new Promise((begin, refuse) => {
        const turn = () =>
          new Promise<void>((end) => {
            underWay.set(request, end);
            // A response that is never sent ends its turn as well.
            if (raw.destroyed) end();
            else raw.once('close', end);
            begin();
          });
        queue.run(share, turn).catch(refuse);
      });
    },

    /** Ends the turn of a request, if it has one. */
    end(request: FastifyRequest): void {
      underWay.get(request)?.();
    },
  };
}
