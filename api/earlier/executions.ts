import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { projectAnswers } from '../routes/answers.ts';
import { sendText } from '../routes/streamed-entries.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';
import {
  earlierDetail,
  earlierDetailText,
  earlierSummary,
  earlierSummaryOf,
  inGroups,
} from './execution-shapes.ts';

/** Maximum number of executions in a chip's list, newest first. */
const LISTED = 50;

type Options = Pick<Areas, 'chips' | 'executions' | 'results' | 'runs'> & {
  settings: Pick<Settings, 'CALIB_DATA_PATH'>;
} & EarlierOptions;

/** The executions of a chip, and whether one is running. */
export const executionRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { chips, executions, results, runs, settings, identity } = options;
  const common = { security: identity.security, headers: userProjectHeaders };

  app.route({
    method: 'GET',
    url: '/executions/lock_status',
    onRequest: identity.inProject('read', 'default user'),
    schema: {
      ...common,
      tags: ['executions'],
      operationId: 'get_lock_status',
      summary: 'Whether a calibration holds the project',
      response: { 200: z.object({ lock: z.boolean() }), ...projectAnswers },
    },
    handler: async (request) => ({ lock: (await runs.lastingHolder(projectIdOf(request))) !== null }),
  });

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/execution',
    onRequest: identity.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['chip'],
      operationId: 'list_executions',
      summary: 'The newest 50 executions of a chip, newest first',
      params: z.object({ chip_id: z.string() }),
      response: { 200: z.array(earlierSummary), ...projectAnswers },
    },
    handler: async (request) => {
      const projectId = projectIdOf(request);
      const { chip_id } = await chips.mustGet(projectId, request.params.chip_id);
      const { items } = await executions.store.list(projectId, chip_id, { skip: 0, limit: LISTED });
      return items.map(earlierSummaryOf);
    },
  });

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/execution/:execution_id',
    onRequest: identity.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['chip'],
      operationId: 'get_execution',
      summary: 'One execution with its tasks',
      params: z.object({ chip_id: z.string(), execution_id: executionIdSchema }),
      response: { 200: earlierDetail, ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { chip_id, execution_id } = request.params;
      const execution = await runs.current(projectIdOf(request), execution_id);
      if (execution.chip_id !== chip_id) {
        throw new CalibronError('not_found', 'There is no such execution of this chip.');
      }
      const { project_id } = execution;
      const pages = results.pagesOfExecution(project_id, execution.execution_id, { arranged: inGroups });
      return sendText(reply, earlierDetailText(settings.CALIB_DATA_PATH, execution, pages));
    },
  });
};
