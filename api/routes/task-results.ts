import { createSerializerCompiler, type FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { latestEntry, taskResult, taskResultItem } from '../../shared/results/model.ts';
import { taskResultItemOf } from '../../shared/results/wire.ts';
import { instant, integer } from '../../shared/wire.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import type { Services } from '../services.ts';
import { bearer, projectAnswers, projectHeaders } from './answers.ts';

const common = { tags: ['task-results'], security: bearer, headers: projectHeaders };

/** Lists of results leave out what is null (unlike all other answers). */
const withoutNulls = createSerializerCompiler({
  replacer: (_key: string, value: unknown) => (value === null ? undefined : value),
});

const resultFilter = z.object({
  status: z.string().optional(),
  chip_id: z.string().optional(),
  task_name: z.string().optional(),
  qid: z.string().optional(),
  execution_id: z.string().optional(),
  username: z.string().optional(),
  start_from: instant().optional().describe('Started at or after this moment.'),
  start_to: instant().optional().describe('Started at or before this moment.'),
  message_contains: z.string().optional().describe('Part of the message, in any case.'),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 100 }).prefault(50),
});

const resultList = z.object({
  items: z.array(taskResultItem),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
  status_counts: z.record(z.string(), z.number().int()),
});

/** What the routes of task results need. */
type Options = Pick<Services, 'results' | 'latestResults' | 'executions'>;

export const taskResultRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  await app.register(listRoutes, options);

  app.route({
    method: 'GET',
    url: '/tasks/:task_id/result',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_task_result',
      summary: 'All that is known of one task result',
      params: z.object({ task_id: z.string() }),
      response: { 200: taskResult, ...projectAnswers },
    },
    handler: (request) => options.executions.taskResult(projectIdOf(request), request.params.task_id),
  });
};

const listRoutes: FastifyPluginAsyncZod<Options> = async (app, { results, latestResults }) => {
  app.setSerializerCompiler(withoutNulls);

  app.route({
    method: 'GET',
    url: '/task-results',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_task_results',
      summary: 'Task results, newest first',
      querystring: resultFilter,
      response: { 200: resultList, ...projectAnswers },
    },
    handler: async (request) => {
      const { skip, limit, ...filter } = request.query;
      const found = await results.list(projectIdOf(request), filter, { skip, limit });
      return { ...found, items: found.items.map(taskResultItemOf), skip, limit };
    },
  });

  app.route({
    method: 'GET',
    url: '/task-results/qubits/latest',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_latest_qubit_results',
      summary: 'The newest result of a task for every qubit of a chip',
      querystring: z.object({ chip_id: z.string(), task: z.string() }),
      response: {
        200: z.object({ task_name: z.string(), result: z.record(z.string(), latestEntry) }),
        ...projectAnswers,
      },
    },
    handler: (request) => latestResults(projectIdOf(request), request.query.chip_id, request.query.task),
  });
};
