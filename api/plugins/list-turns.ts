import type { FastifyInstance, RouteOptions } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { createFairQueue } from '../../shared/kernel/fair-queue.ts';
import { shareUserId } from '../../shared/kernel/sharing-accounts.ts';
import { createResponseTurns } from './response-turns.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer may be as large as a list, so the read takes turns with lists. */
    isLargeRead?: boolean;
  }
}

/**
 * Maximum number of lists that a process reads at the same time: in total, per user, and per user while others read too. Each
 * takes milliseconds of the event loop, so more of them would only slow down every other request. A user who reads one list after
 * another leaves the process to the others half of the time.
 */
const LISTS = { atOnce: 8, atOncePerUser: 2, atOncePerUserShared: 1, restShared: 1 };

/**
 * Queues list reads fairly between users: a user who continuously reads long lists slows down only their own reads. Lists
 * are the GET routes with a `limit`, and those with `isLargeRead`. A turn ends when the response is ready to be sent.
 */
export const listTurns = fastifyPlugin(
  async (app: FastifyInstance) => {
    const turns = createResponseTurns(createFairQueue(LISTS));
    const lists = new Set<string>();

    app.addHook('onRoute', (route) => {
      if (isList(route)) for (const method of [route.method].flat()) lists.add(`${method} ${route.url}`);
    });
    app.addHook('preHandler', async (request, reply) => {
      if (!request.caller || !lists.has(`${request.method} ${request.routeOptions.url}`)) return;
      const share = { user: shareUserId(request.caller.user), project: request.projectScope?.project._id };
      await turns.take(share, request, reply);
    });
    app.addHook('onSend', async (request) => turns.end(request));
  },
  { name: 'list-turns', dependencies: ['authentication', 'project-scope'] },
);

function isList({ method, schema, config }: RouteOptions): boolean {
  if (config?.isLargeRead) return true;
  const query = schema?.querystring;
  if (
    (method !== 'GET' && method !== 'HEAD') ||
    typeof query !== 'object' ||
    query === null ||
    !('shape' in query)
  )
    return false;
  return typeof query.shape === 'object' && query.shape !== null && 'limit' in query.shape;
}
