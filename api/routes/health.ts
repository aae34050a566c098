import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { errorBody } from '../../shared/domain/errors.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { cachedAnswer } from '../../shared/kernel/cached-answer.ts';
import type { Database } from '../../shared/kernel/database.ts';
import { readStartProgress } from '../../shared/kernel/engine/start-progress.ts';
import type { Engine } from '../../shared/kernel/engine/temporal.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import type { InstallationState } from '../../shared/kernel/installation/installation.ts';
import { RETRY_AFTER } from '../plugins/errors.ts';
import { homePage } from './home-page.ts';
import { PAGE_POLICY, prefersPage } from './pages.ts';
import { type Readiness, readiness } from './readiness.ts';

/** Milliseconds for which the state is cached, because /readyz is open to everyone and has no rate limit. */
const REUSED_FOR = 500;

export const healthRoutes: FastifyPluginAsyncZod<{
  database: Database;
  engine: Engine;
  installation?: InstallationState;
  settings: Pick<Settings, 'CONSOLE' | 'DATA_DIR'>;
}> = async (app, { database, engine, installation, settings }) => {
  const dependenciesState = cachedAnswer(async () => {
    const [store, engineAnswers] = await Promise.all([database.ping(), engine.ping()]);
    return { store, engineAnswers };
  }, REUSED_FOR);
  async function readinessNow(): Promise<Readiness> {
    const { store, engineAnswers } = await dependenciesState();
    const stalled = app.stalls.current;
    const shortage = app.diskShortage.current;
    if (store && engineAnswers) await installation?.settled();
    const wrong = installation?.problem ?? null;
    const working = store && engineAnswers && wrong === null;
    const status = !working
      ? 'unavailable'
      : app.draining.active
        ? 'stopping'
        : stalled.length > 0 || shortage !== null
          ? 'degraded'
          : 'ready';
    const problem = wrong ?? (engineAnswers ? null : await readStartProgress(settings.DATA_DIR));
    return { status, store, engine: engineAnswers, problem, stalled, shortage };
  }

  const metricsText = cachedAnswer(() => app.metrics.text(), 0);

  app.route({
    method: 'GET',
    url: '/',
    schema: { hide: true },
    handler: async (request, reply) => {
      if (!prefersPage(request.headers.accept)) {
        throw new CalibronError('not_found', 'There is no such address.');
      }
      const state = await readinessNow();
      void reply.header('vary', 'accept');
      // Relative, because a proxy may have removed a part of the path that this server does not know.
      if (settings.CONSOLE === 'on' && state.status === 'ready') return reply.redirect('console/', 302);
      return reply
        .header('content-security-policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(homePage(state, settings.CONSOLE === 'on'));
    },
  });

  app.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'healthz',
      summary: 'The process is alive',
      tags: ['service'],
      response: { 200: z.object({ status: z.literal('ok') }) },
    },
    handler: async () => ({ status: 'ok' as const }),
  });

  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'readyz',
      summary: 'Requests can be served: database and workflow engine answer',
      tags: ['service'],
      response: { 200: readiness, 429: errorBody, 503: readiness },
    },
    handler: async (_request, reply) => {
      const answer = await readinessNow();
      const { status } = answer;
      // A degraded process still serves most requests. Taking it out of service would move its load to other processes.
      const serves = status === 'ready' || status === 'degraded';
      if (!serves) void reply.header('retry-after', String(RETRY_AFTER));
      return reply.code(serves ? 200 : 503).send(answer);
    },
  });

  app.route({
    method: 'GET',
    url: '/metrics-prometheus',
    schema: {
      operationId: 'metrics_prometheus',
      summary:
        "Figures of this process in Prometheus' text format: its resources, durations of answers, listeners",
      tags: ['service'],
      response: {
        200: { description: 'The figures.', content: { 'text/plain': { schema: z.string() } } },
        429: errorBody,
      },
    },
    handler: async (_request, reply) => reply.type(app.metrics.contentType).send(await metricsText()),
  });
};
