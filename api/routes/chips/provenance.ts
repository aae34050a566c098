import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import type { MetricsSettings } from '../../../shared/domain/metrics/model.ts';
import {
  comparison,
  degradationTrends,
  lineage,
  parameterChanges,
  parameterVersion,
  provenanceExecutions,
  provenanceHistory,
  provenanceStats,
  recommendations,
} from '../../../shared/domain/provenance/model.ts';
import { type EvaluationMode, isNumberedExactly } from '../../../shared/domain/provenance/rules.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { integer, repeated } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['provenance'], security: bearer, headers: projectHeaders };

const entityParams = z.object({
  entity_id: z.string().describe('`{parameter_name}:{qid}:{execution_id}:{task_id}`'),
});
const depth = integer({ min: 1, max: 20 });
const chip_id = z.string().optional().describe('Only of this chip; without it of all chips of the project.');
const parameterNames = repeated(z.string()).prefault([]).describe('Only these; may be repeated.');

type Options = Pick<Areas, 'provenance' | 'metrics'>;

/** Returns what was found for a version. @throws not_found if it is null */
function known<T>(found: T | null): T {
  if (found === null) {
    throw new CalibronError('not_found', 'There is no such parameter version in this project.');
  }
  return found;
}

export const provenanceRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { provenance } = options;
  await app.register(overviewRoutes, options);

  app.route({
    method: 'GET',
    url: '/provenance/entities/:entity_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_parameter_version',
      summary: 'One version of a parameter',
      params: entityParams,
      response: { 200: parameterVersion, ...projectAnswers },
    },
    handler: async (request) =>
      known(await provenance.entity(projectIdOf(request), request.params.entity_id)),
  });

  app.route({
    method: 'GET',
    url: '/provenance/history',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_parameter_history',
      summary: 'The versions of a parameter, newest first',
      querystring: z.object({
        parameter_name: z.string(),
        qid: z
          .string()
          .refine(isNumberedExactly, 'should be a qubit or a coupling')
          .describe('`0`, `Q0` and `Q00` name the same qubit.'),
        chip_id,
        limit: integer({ min: 1, max: 100 }).prefault(50),
      }),
      response: { 200: provenanceHistory, ...projectAnswers },
    },
    handler: (request) => {
      const { parameter_name, qid, limit, chip_id } = request.query;
      return provenance.history(projectIdOf(request), parameter_name, qid, { limit, chip_id });
    },
  });

  app.route({
    method: 'GET',
    url: '/provenance/lineage/:entity_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_lineage',
      summary: 'Where a version came from: its ancestors, breadth first',
      params: entityParams,
      querystring: z.object({ max_depth: depth.prefault(5) }),
      response: { 200: lineage, ...projectAnswers },
    },
    handler: async (request) =>
      known(
        await provenance.lineage(projectIdOf(request), request.params.entity_id, request.query.max_depth),
      ),
  });

  app.route({
    method: 'GET',
    url: '/provenance/impact/:entity_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_impact',
      summary: 'What was made from a version: its descendants, breadth first',
      params: entityParams,
      querystring: z.object({ max_depth: depth.prefault(5) }),
      response: { 200: lineage, ...projectAnswers },
    },
    handler: async (request) =>
      known(await provenance.impact(projectIdOf(request), request.params.entity_id, request.query.max_depth)),
  });

  app.route({
    method: 'GET',
    url: '/provenance/recommendations/:entity_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_recommendations',
      summary: 'Tasks to run again when a version was wrong, nearest first',
      params: entityParams,
      querystring: z.object({ max_depth: depth.prefault(10) }),
      response: { 200: recommendations, ...projectAnswers },
    },
    handler: async (request) =>
      known(
        await provenance.recommendations(
          projectIdOf(request),
          request.params.entity_id,
          request.query.max_depth,
        ),
      ),
  });
};

/** The direction in which each metric improves. Metrics without such a direction are omitted. */
function evaluationModes({ qubit_metrics, coupling_metrics }: MetricsSettings): [string, EvaluationMode][] {
  return Object.entries({ ...qubit_metrics, ...coupling_metrics }).flatMap(
    ([name, { evaluation }]): [string, EvaluationMode][] =>
      evaluation.mode === 'none' ? [] : [[name, evaluation.mode]],
  );
}

const overviewRoutes: FastifyPluginAsyncZod<Options> = async (app, { provenance, metrics }) => {
  app.route({
    method: 'GET',
    url: '/provenance/compare',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'compare_executions',
      summary: 'What two executions found, parameter by parameter',
      querystring: z.object({
        execution_id_before: executionIdSchema,
        execution_id_after: executionIdSchema,
      }),
      response: { 200: comparison, ...projectAnswers },
    },
    handler: (request) => {
      const { execution_id_before, execution_id_after } = request.query;
      return provenance.compare(projectIdOf(request), execution_id_before, execution_id_after);
    },
  });

  app.route({
    method: 'GET',
    url: '/provenance/stats',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_provenance_stats',
      summary: 'How much is recorded, and the newest versions',
      response: { 200: provenanceStats, ...projectAnswers },
    },
    handler: (request) => provenance.stats(projectIdOf(request)),
  });

  app.route({
    method: 'GET',
    url: '/provenance/executions',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_provenance_executions',
      summary: 'Executions that changed values, newest first',
      querystring: z.object({ limit: integer({ min: 1, max: 50 }).prefault(20) }),
      response: { 200: provenanceExecutions, ...projectAnswers },
    },
    handler: (request) => provenance.executions(projectIdOf(request), request.query.limit),
  });

  app.route({
    method: 'GET',
    url: '/provenance/changes',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_parameter_changes',
      summary: 'Values of the last hours that replaced another one, newest first',
      querystring: z.object({
        limit: integer({ min: 1, max: 50 }).prefault(20),
        within_hours: integer({ min: 1, max: 168 }).prefault(24),
        parameter_names: parameterNames,
        chip_id,
      }),
      response: { 200: parameterChanges, ...projectAnswers },
    },
    handler: (request) => {
      const { limit, within_hours, parameter_names, chip_id } = request.query;
      const wanted = { limit, hours: within_hours, names: parameter_names, chip_id };
      return provenance.changes(projectIdOf(request), wanted);
    },
  });

  app.route({
    method: 'GET',
    url: '/provenance/degradation-trends',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_degradation_trends',
      summary: 'Metrics that became worse several times in a row, longest streak first',
      querystring: z.object({
        min_streak: integer({ min: 3, max: 20 }).prefault(3),
        limit: integer({ min: 1, max: 100 }).prefault(50),
        parameter_names: parameterNames,
        chip_id,
      }),
      response: { 200: degradationTrends, ...projectAnswers },
    },
    handler: async (request) => {
      const { min_streak, limit, parameter_names, chip_id } = request.query;
      const watched = evaluationModes(await metrics.config()).filter(
        ([name]) => parameter_names.length === 0 || parameter_names.includes(name),
      );
      return provenance.degradationTrends(projectIdOf(request), new Map(watched), {
        minStreak: min_streak,
        limit,
        chip_id,
      });
    },
  });
};
