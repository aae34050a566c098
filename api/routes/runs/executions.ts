import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  executionDetail,
  executionDetailPart,
  executionList,
  executionLog,
  tagList,
} from '../../../shared/domain/executions/model.ts';
import { executionStatuses } from '../../../shared/domain/executions/status-rules.ts';
import { executionTaskFields } from '../../../shared/domain/results/model.ts';
import { cancelResult, lockStatus } from '../../../shared/domain/runs/model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { integer, nameList } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  readingHeaders,
  taggedAnswers,
} from '../answers.ts';
import { sendText } from '../streamed-entries.ts';
import { unchangedAnswer } from '../tagged-answers.ts';

const common = { tags: ['executions'], security: bearer, headers: projectHeaders };

const detailQuery = z.object({
  fields: nameList(executionTaskFields)
    .optional()
    .describe(
      'Fields of each task to show, separated by commas, such as `task_id,name,qid,status`; default: all.',
    ),
  tasks_skip: integer({ min: 0 }).optional().describe('Leaves out the first tasks.'),
  tasks_limit: integer({ min: 0 }).optional().describe('Shows at most as many tasks; default: all.'),
});

export const executionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'executions' | 'runs'>> = async (
  app,
  { executions, runs },
) => {
  app.route({
    method: 'GET',
    url: '/executions',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_executions',
      summary: 'The executions of a chip, newest first',
      querystring: z.object({
        chip_id: z.string(),
        status: z.enum(executionStatuses).optional().describe('Only executions of this status.'),
        skip: integer({ min: 0 }).prefault(0),
        limit: integer({ min: 1, max: 100 }).prefault(20),
      }),
      response: { 200: executionList, ...projectAnswers },
    },
    handler: (request) => {
      const { chip_id, ...page } = request.query;
      return executions.list(projectIdOf(request), chip_id, page);
    },
  });

  app.route({
    method: 'GET',
    url: '/tags',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_tags',
      summary: 'The tags of the executions of the project, each once, by name',
      response: { 200: tagList, ...projectAnswers },
    },
    handler: (request) => executions.tags(projectIdOf(request)),
  });

  app.route({
    method: 'GET',
    url: '/executions/lock-status',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_lock_status',
      summary: 'Whether a calibration holds the project, and which',
      response: { 200: lockStatus, ...projectAnswers },
    },
    handler: (request) => runs.lockStatus(projectIdOf(request)),
  });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true, answersPartFor: 'fields' },
    schema: {
      ...common,
      operationId: 'get_execution',
      summary: 'One execution with its tasks; the id of its flow run finds it too',
      description:
        'Poll it with `If-None-Match`: an unchanged execution is answered with 304. `fields` makes the answer of a large run many times smaller: its tasks have these fields only (`ExecutionPart`).',
      headers: readingHeaders,
      params: z.object({ execution_id: executionIdSchema }),
      querystring: detailQuery,
      response: {
        200: z.union([executionDetail, executionDetailPart]),
        ...taggedAnswers,
        ...projectAnswers,
      },
    },
    handler: async (request, reply) => {
      const read = request.headers['if-none-match'] === undefined ? runs.current : runs.polled;
      const execution = await read(projectIdOf(request), request.params.execution_id);
      const { fields, tasks_skip: skip, tasks_limit: limit } = request.query;
      const shown = { fields, skip, limit };
      // The tag is read before the content: a change in between is in the content, and the next tag differs.
      const unchanged = unchangedAnswer(request, reply, await executions.tagOfDetail(execution, shown));
      if (unchanged) return unchanged;
      return sendText(reply, await executions.detail(execution, runs.urlOf(execution), shown));
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/log',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_execution_log',
      summary: 'What the flow of an execution logged and recorded, in order',
      params: z.object({ execution_id: executionIdSchema }),
      querystring: z.object({
        skip: integer({ min: 0 }).prefault(0),
        limit: integer({ min: 1, max: 1000 }).prefault(200),
      }),
      response: { 200: executionLog, ...projectAnswers },
    },
    handler: async (request) => {
      const execution = await runs.current(projectIdOf(request), request.params.execution_id);
      return executions.log(execution, request.query);
    },
  });

  app.route({
    method: 'POST',
    url: '/executions/:flow_run_id/cancel',
    onRequest: app.inProject('write'),
    config: { audit: 'run_cancelled' },
    schema: {
      ...common,
      operationId: 'cancel_execution',
      summary: 'Cancel a run that is scheduled, pending, running or paused',
      params: z.object({ flow_run_id: z.string() }),
      response: { 200: cancelResult, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => runs.control.cancel(projectIdOf(request), request.params.flow_run_id),
  });
};
