import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { executionStageDetail, executionStageList } from '../../../shared/domain/executions/model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['executions'], security: bearer, headers: projectHeaders };

/** Outcomes of the stages of an execution. */
export const executionStageRoutes: FastifyPluginAsyncZod<Pick<Areas, 'executions' | 'runs'>> = async (
  app,
  { executions, runs },
) => {
  app.route({
    method: 'GET',
    url: '/executions/:execution_id/stages',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_execution_stages',
      summary: 'The stages of an execution in order, with counts and yields',
      params: z.object({ execution_id: executionIdSchema }),
      querystring: z.object({
        skip: integer({ min: 0 }).prefault(0),
        limit: integer({ min: 1, max: 200 }).prefault(50),
      }),
      response: { 200: executionStageList, ...projectAnswers },
    },
    handler: async (request) => {
      const execution = await runs.current(projectIdOf(request), request.params.execution_id);
      return executions.stages(execution, request.query);
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/stages/:index',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_execution_stage',
      summary: 'One stage with the values that it found on each target',
      params: z.object({ execution_id: executionIdSchema, index: integer({ min: 0 }) }),
      response: { 200: executionStageDetail, ...projectAnswers },
    },
    handler: async (request) => {
      const { execution_id, index } = request.params;
      return executions.stage(await runs.current(projectIdOf(request), execution_id), index);
    },
  });
};
