import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { taskDefinitionList, taskName } from '../../../shared/domain/backends/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { startedRun } from '../../../shared/domain/runs/model.ts';
import { executeTask } from '../../../shared/domain/runs/request-model.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders, startHeaders } from '../answers.ts';
import { runOrderOf } from '../runs/run-order.ts';

const common = { tags: ['tasks'], security: bearer };

/** The tasks available to a project, and runs of a single task. */
export const taskRoutes: FastifyPluginAsyncZod<Pick<Areas, 'backends' | 'runs'>> = async (
  app,
  { backends, runs },
) => {
  app.route({
    method: 'GET',
    url: '/tasks',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_tasks',
      summary: 'The tasks of all backends that the project may use, or of one',
      headers: projectHeaders,
      querystring: z.object({ backend: z.string().optional().describe('Only tasks of this backend.') }),
      response: { 200: taskDefinitionList, ...projectAnswers },
    },
    handler: async (request) => ({
      tasks: (await backends.listing([projectIdOf(request)])).definitions(request.query.backend),
    }),
  });
  app.route({
    method: 'POST',
    url: '/tasks/:task_name/execute',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id', 'chip_id', 'qid'] } },
    schema: {
      ...common,
      operationId: 'execute_task',
      summary: 'Run one task on one target with the values of calibration state',
      headers: startHeaders,
      params: z.object({ task_name: taskName }),
      body: executeTask,
      response: { 200: startedRun, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => runs.startTask(runOrderOf(request), request.params.task_name, request.body),
  });
};
