import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  chipMetrics,
  couplingMetricHistory,
  HISTORY_PAGE,
  heatmap,
  insights,
  metricsConfig,
  metricsQuery,
  metricsSummary,
  qubitMetricHistory,
} from '../../../shared/domain/metrics/model.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders, tokenAnswers } from '../answers.ts';
import { metricsReportRoutes } from './metrics-report.ts';

const inProject = { tags: ['metrics'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });

const historyQuery = z.object({
  metric: z.string(),
  limit: integer({ min: 1, max: HISTORY_PAGE })
    .prefault(HISTORY_PAGE)
    .describe('Maximum number of results, the newest ones.'),
  skip: integer({ min: 0 }).prefault(0).describe('Number of newer ones to leave out, for the next page.'),
  within_days: integer({ min: 1, max: 36_500 }).prefault(30),
});

/** The metrics of a chip. */
export const metricsRoutes: FastifyPluginAsyncZod<Pick<Areas, 'metrics'>> = async (app, options) => {
  const { metrics } = options;

  app.route({
    method: 'GET',
    url: '/metrics/config',
    onRequest: app.signedIn,
    schema: {
      tags: ['metrics'],
      security: bearer,
      operationId: 'get_metrics_config',
      summary: 'Which metrics there are, how they are shown and what counts as good',
      response: { 200: metricsConfig, ...tokenAnswers },
    },
    handler: () => metrics.config(),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/metrics/summary',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...inProject,
      operationId: 'get_metrics_summary',
      summary: 'Each metric averaged over the qubits of a chip, in raw units',
      params: chipParams,
      response: { 200: metricsSummary, ...projectAnswers },
    },
    handler: (request) => metrics.summary(projectIdOf(request), request.params.chip_id),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/metrics/heatmap/:metric',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...inProject,
      operationId: 'get_metric_heatmap',
      summary: 'One metric of every qubit or coupling of a chip, in raw units',
      params: chipParams.extend({ metric: z.string() }),
      response: { 200: heatmap, ...projectAnswers },
    },
    handler: (request) =>
      metrics.heatmap(projectIdOf(request), request.params.chip_id, request.params.metric),
  });

  app.route({
    method: 'GET',
    url: '/metrics/chips/:chip_id/metrics',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...inProject,
      operationId: 'get_chip_metrics',
      summary: 'The metrics of a chip from the results of a time: the newest, the best or the mean',
      params: chipParams,
      querystring: metricsQuery,
      response: { 200: chipMetrics, ...projectAnswers },
    },
    handler: (request) => {
      const { username } = callerOf(request).user;
      return metrics.ofChip(projectIdOf(request), username, request.params.chip_id, request.query);
    },
  });

  app.route({
    method: 'GET',
    url: '/metrics/chips/:chip_id/qubits/:qid/history',
    onRequest: app.inProject('read'),
    schema: {
      ...inProject,
      operationId: 'get_qubit_metric_history',
      summary: 'The history of a metric of a qubit, newest first, including excluded results',
      params: chipParams.extend({ qid: z.string() }),
      querystring: historyQuery,
      response: { 200: qubitMetricHistory, ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { chip_id, qid } = request.params;
      const of = { chip_id, target: qid };
      const history = await pageOfUnknown(reply, request.query, (page) =>
        metrics.history('qubit', projectIdOf(request), of, page),
      );
      const { username } = callerOf(request).user;
      return { chip_id, qid, metric_name: request.query.metric, username, history };
    },
  });

  app.route({
    method: 'GET',
    url: '/metrics/chips/:chip_id/couplings/:coupling_id/history',
    onRequest: app.inProject('read'),
    schema: {
      ...inProject,
      operationId: 'get_coupling_metric_history',
      summary: 'The history of a metric of a coupling, newest first, including excluded results',
      params: chipParams.extend({ coupling_id: z.string().describe('`<control>-<target>`') }),
      querystring: historyQuery,
      response: { 200: couplingMetricHistory, ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { chip_id, coupling_id } = request.params;
      const of = { chip_id, target: coupling_id };
      const history = await pageOfUnknown(reply, request.query, (page) =>
        metrics.history('coupling', projectIdOf(request), of, page),
      );
      const { username } = callerOf(request).user;
      return { chip_id, qid: coupling_id, coupling_id, metric_name: request.query.metric, username, history };
    },
  });

  app.route({
    method: 'GET',
    url: '/dashboard/chips/:chip_id/ai-insights',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...inProject,
      operationId: 'get_chip_insights',
      summary: 'Which of the newest results of a chip need attention, by fixed rules',
      params: chipParams,
      response: { 200: insights, ...projectAnswers },
    },
    handler: (request) => metrics.insights(projectIdOf(request), request.params.chip_id),
  });

  await app.register(metricsReportRoutes, options);
};
