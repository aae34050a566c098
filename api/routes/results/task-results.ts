import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { taskName } from '../../../shared/domain/backends/model.ts';
import { type TargetKind, targetKinds } from '../../../shared/domain/chips/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { excludeResult, exclusion } from '../../../shared/domain/results/exclusion-model.ts';
import {
  latestEntry,
  outputName,
  outputSeries,
  taskResult,
  taskResultItem,
} from '../../../shared/domain/results/model.ts';
import { taskResultItemOf } from '../../../shared/domain/results/wire.ts';
import { startedRun } from '../../../shared/domain/runs/model.ts';
import { reExecuteTask } from '../../../shared/domain/runs/request-model.ts';
import { executionIdSchema, type ProjectId, taskIdSchema } from '../../../shared/kernel/ids.ts';
import { calendarDayText, instant, integer } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { leavingOutNulls } from '../../plugins/left-out-nulls.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  readingHeaders,
  startHeaders,
  taggedAnswers,
} from '../answers.ts';
import { runOrderOf } from '../runs/run-order.ts';
import { sendEntries } from '../streamed-entries.ts';
import { unchangedAnswer } from '../tagged-answers.ts';

const common = { tags: ['task-results'], security: bearer, headers: projectHeaders };

const resultFilter = z.object({
  status: z.string().optional(),
  chip_id: z.string().optional(),
  task_name: taskName.optional(),
  qid: z.string().optional(),
  execution_id: executionIdSchema.optional(),
  username: z.string().optional(),
  start_from: instant().optional().describe('Started at or after this moment.'),
  start_to: instant().optional().describe('Started at or before this moment.'),
  message_contains: z
    .string()
    .refine((text) => !text.includes('\0'), 'must have no NUL') // messages never contain NUL
    .optional()
    .describe('Part of the message; case is ignored.'),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 100 }).prefault(50),
});

const resultList = z
  .object({
    items: z.array(taskResultItem),
    total: z.number().int(),
    skip: z.number().int(),
    limit: z.number().int(),
    status_counts: z.record(z.string(), z.number().int()),
  })
  .meta({ id: 'TaskResultList' });

const taskOfChip = z.object({ chip_id: z.string(), task: taskName });
const resultByTarget = z
  .object({ task_name: z.string(), result: z.record(z.string(), latestEntry) })
  .meta({ id: 'ResultsByTarget' });

const dayOfTask = taskOfChip.extend({
  date: calendarDayText().describe("Day as YYYYMMDD in the service's time zone."),
  start_at: instant().optional().describe("Started at or after this moment, instead of the day's beginning."),
  end_at: instant().optional().describe("Started before this moment, instead of the day's end."),
});

const pageOfTask = taskOfChip.extend({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(200),
});

const seriesQuery = z.object({
  chip_id: z.string(),
  parameter: outputName,
  start_at: instant().describe('Started at or after this moment.'),
  end_at: instant().describe('Started at or before this moment.'),
  tag: z.string().optional().describe('Only results of executions with this tag.'),
  qid: z.string().optional(),
});

const targetHistory = z
  .object({
    name: z.string(),
    data: z.record(z.string(), latestEntry).describe('Results by task id, newest first.'),
    total: z.number().int(),
    skip: z.number().int(),
    limit: z.number().int(),
  })
  .meta({ id: 'ResultHistory' });

/** Dependencies of the task result routes. */
type Options = Pick<Areas, 'results' | 'chips' | 'executions' | 'runs'>;

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
      params: z.object({ task_id: taskIdSchema }),
      response: { 200: taskResult, ...projectAnswers },
    },
    handler: (request) => options.executions.taskResult(projectIdOf(request), request.params.task_id),
  });

  app.route({
    method: 'GET',
    url: '/task-results/timeseries',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_output_series',
      summary: 'One output over time for each target, without excluded results',
      querystring: seriesQuery,
      response: { 200: outputSeries, ...projectAnswers, 413: errorBody },
    },
    handler: (request) => options.results.series(projectIdOf(request), request.query),
  });

  app.route({
    method: 'POST',
    url: '/task-results/:task_id/exclude',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'result_excluded', details: ['excluded'] } },
    schema: {
      ...common,
      operationId: 'exclude_task_result',
      summary: 'Leave a result out of metrics, or count it again',
      params: z.object({ task_id: taskIdSchema }),
      body: excludeResult,
      response: { 200: exclusion, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) => {
      const { _id, username } = callerOf(request).user;
      const by = { user_id: _id, username };
      return options.results.exclude(projectIdOf(request), request.params.task_id, request.body, by);
    },
  });

  app.route({
    method: 'POST',
    url: '/task-results/:task_id/re-execute',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id'] } },
    schema: {
      ...common,
      operationId: 're_execute_task',
      summary: 'Run a task again with the inputs and run parameters of its result',
      headers: startHeaders,
      params: z.object({ task_id: taskIdSchema }),
      body: reExecuteTask,
      response: { 200: startedRun, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      options.runs.reExecuteTask(runOrderOf(request), request.params.task_id, request.body),
  });
};

const listRoutes: FastifyPluginAsyncZod<Options> = async (app, { results, chips }) => {
  const { targetResults } = chips;
  await app.register(leavingOutNulls);

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

  for (const kind of targetKinds) {
    app.route({
      method: 'GET',
      url: `/task-results/${kind}s/latest`,
      onRequest: app.inProject('read'),
      config: { isLargeRead: true },
      schema: {
        ...common,
        operationId: `list_latest_${kind}_results`,
        summary: `The newest result of a task for every ${kind} of a chip`,
        headers: readingHeaders,
        querystring: taskOfChip,
        response: { 200: resultByTarget, ...taggedAnswers, ...projectAnswers },
      },
      handler: async (request, reply) => {
        const projectId = projectIdOf(request);
        const tag = await targetResults.tagOfLatest(kind, projectId, request.query);
        const unchanged = unchangedAnswer(request, reply, tag);
        if (unchanged) return unchanged;
        const entries = await targetResults.latest(kind, projectId, request.query);
        const shown = { head: { task_name: request.query.task }, name: 'result', entry: latestEntry };
        return sendEntries(reply, shown, entries);
      },
    });

    app.route({
      method: 'GET',
      url: `/task-results/${kind}s/history`,
      onRequest: app.inProject('read'),
      config: { isLargeRead: true },
      schema: {
        ...common,
        operationId: `list_${kind}_results_of_day`,
        summary: `The newest result of a task on a day, for every ${kind} recorded that day`,
        querystring: dayOfTask,
        response: { 200: resultByTarget, ...projectAnswers },
      },
      handler: (request) => targetResults.ofDay(kind, projectIdOf(request), request.query),
    });
  }

  app.route({
    method: 'GET',
    url: '/task-results/qubits/:qid/history',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_results_of_qubit',
      summary: 'The results of a task on one qubit, newest first',
      params: z.object({ qid: z.string() }),
      querystring: pageOfTask,
      response: { 200: targetHistory, ...projectAnswers },
    },
    handler: (request) => ofTarget('qubit', projectIdOf(request), request.params.qid, request.query),
  });

  app.route({
    method: 'GET',
    url: '/task-results/couplings/:coupling_id/history',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_results_of_coupling',
      summary: 'The results of a task on one coupling, newest first',
      params: z.object({ coupling_id: z.string().describe('`<control>-<target>`') }),
      querystring: pageOfTask,
      response: { 200: targetHistory, ...projectAnswers },
    },
    handler: (request) =>
      ofTarget('coupling', projectIdOf(request), request.params.coupling_id, request.query),
  });

  function ofTarget(kind: TargetKind, projectId: ProjectId, qid: string, query: z.infer<typeof pageOfTask>) {
    const { chip_id, task, ...page } = query;
    return targetResults.ofTarget(kind, projectId, { chip_id, task, qid }, page);
  }
};
