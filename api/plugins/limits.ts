import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { TokenClaims } from '../../shared/domain/accounts/model.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { owningUser } from '../../shared/kernel/owning-user.ts';
import { countedAddress } from './addresses.ts';

/** Length of the counting window in milliseconds. */
const COUNTING_TIME = 60_000;
/** Maximum number of callers counted at a time. The least recently seen one is evicted first. */
const COUNTED_CALLERS = 20_000;

/** Not limited: a page loads many figures at once, and being alive costs nothing. Redrawn figures do count. */
const exempt = new Set([
  '/executions/figure',
  '/api/executions/figure',
  '/forum/images/:filename',
  '/issues/images/:filename',
  '/healthz',
]);

/** Counted apart from all else, so that other requests from the same address never make monitoring fail. */
const monitoring = new Set(['/readyz', '/metrics-prometheus']);

export interface LimitOptions {
  /** Requests per minute with one token, and for monitoring from one address. */
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
    const countMonitoring = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: (request) => `monitoring ${countedAddress(request)}`,
      max: perToken,
    });
    // Also limit per user, because a new login gets a new token.
    const countUser = app.createRateLimit({
      timeWindow: COUNTING_TIME,
      keyGenerator: ({ token, ip }) => (token ? `user ${shareOf(token)}` : `address ${ip}`),
      max: perUser,
    });
    const counts = (request: FastifyRequest, url: string) => {
      if (monitoring.has(url)) return Promise.all([countMonitoring(request)]);
      return Promise.all(request.token ? [count(request), countUser(request)] : [count(request)]);
    };
    app.addHook('onRequest', async (request) => {
      const url = request.routeOptions.url ?? '';
      if (exempt.has(url) && !isDrawn(request)) return;
      for (const counted of await counts(request, url))
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

/** The user whose limit a token uses. */
function shareOf({ user_id, program }: TokenClaims): string {
  return program?.share_user_id ?? owningUser(user_id);
}

/** Only tokens that we signed have a limit of their own. Otherwise each forged token would get a fresh limit. */
function callerKey(request: FastifyRequest): string {
  const { token } = request;
  return token ? `token ${token.token_id}` : `address ${countedAddress(request)}`;
}

function isDrawn({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'theme' in query && query.theme === 'dark';
}
