import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { owningUser } from '../../shared/kernel/owning-user.ts';
import { countedAddress } from './addresses.ts';

/** Length of the counting window in milliseconds. */
const COUNTING_TIME = 60_000;
/** Maximum number of callers counted at a time. The least recently seen one is evicted first. */
const COUNTED_CALLERS = 20_000;

/** Not limited: a page loads many figures at once, and monitoring must not be rejected. Redrawn figures do count. */
const exempt = new Set([
  '/executions/figure',
  '/api/executions/figure',
  '/forum/images/:filename',
  '/issues/images/:filename',
  '/healthz',
  '/readyz',
]);

export interface LimitOptions {
  /** Requests per minute with one token. */
  perToken: number;
  /** Requests per minute of one user, over all their tokens. */
  perUser: number;
  /** Requests per minute without a token from one address. */
  perAddress: number;
}

/** Limits the request rate of each caller, per process. Login has an additional limit. */
export const limits = fastifyPlugin(
  async (app: FastifyInstance, { perToken, perUser, perAddress }: LimitOptions) => {
    await app.register(rateLimit, { global: false, cache: COUNTED_CALLERS });
    const count = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: callerKey,
      max: (request) => (request.token ? perToken : perAddress),
    });
    // Also limit per user, because a new login gets a new token.
    const countUser = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: ({ token, ip }) => (token ? `user ${owningUser(token.user_id)}` : `nobody ${ip}`),
      max: perUser,
    });
    const counts = (request: FastifyRequest) =>
      Promise.all(request.token ? [count(request), countUser(request)] : [count(request)]);
    app.addHook('onRequest', async (request) => {
      if (exempt.has(request.routeOptions.url ?? '') && !isDrawn(request)) return;
      for (const counted of await counts(request))
        if (!counted.isAllowed && counted.isExceeded) refuse(counted);
    });

    function refuse({ ttlInSeconds }: { ttlInSeconds: number }): never {
      throw new CalibronError('too_many_requests', 'Too many requests; wait before the next one.', {
        retryAfter: ttlInSeconds,
      });
    }
  },
  { name: 'limits', dependencies: ['authentication'] },
);

/** Only tokens that we signed have a limit of their own. Otherwise each forged token would get a fresh limit. */
function callerKey(request: FastifyRequest): string {
  const { token } = request;
  return token ? `token ${token.token_id}` : `address ${countedAddress(request)}`;
}

function isDrawn({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'theme' in query && query.theme === 'dark';
}
