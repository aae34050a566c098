import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { countedAddress } from './addresses.ts';

/** Milliseconds in which requests are counted. */
const COUNTING_TIME = 60_000;
/** Callers that are counted at a time; the one not seen for longest is forgotten first. */
const COUNTED_CALLERS = 20_000;

/** A page shows many figures at once, and monitoring must not be refused; figures that are drawn anew are counted. */
const exempt = new Set([
  '/executions/figure',
  '/api/executions/figure',
  '/forum/images/:filename',
  '/issues/images/:filename',
  '/healthz',
  '/readyz',
]);

export interface LimitOptions {
  /** Requests a minute with one token. */
  perToken: number;
  /** Requests a minute of one user, whatever the token. */
  perUser: number;
  /** Requests a minute without a token from one address. */
  perAddress: number;
}

/** Bounds how often one caller asks, each process for itself. Login has a limit of its own as well. */
export const limits = fastifyPlugin(
  async (app: FastifyInstance, { perToken, perUser, perAddress }: LimitOptions) => {
    await app.register(rateLimit, { global: false, cache: COUNTED_CALLERS });
    const count = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: callerKey,
      max: (request) => (request.token ? perToken : perAddress),
    });
    // Whoever logs in again has another token, and is the same user.
    const countUser = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: ({ token, ip }) => (token ? `user ${token.user_id}` : `nobody ${ip}`),
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

/** Only a token that we signed counts for itself: made-up ones would each bring a limit of their own. */
function callerKey(request: FastifyRequest): string {
  const { token } = request;
  return token ? `token ${token.token_id}` : `address ${countedAddress(request)}`;
}

function isDrawn({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'theme' in query && query.theme === 'dark';
}
