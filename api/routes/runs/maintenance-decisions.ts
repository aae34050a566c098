import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  maintenanceDecisionList,
  maintenanceDecisionQuery,
} from '../../../shared/domain/maintenance/model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

/** What the maintenance of a run decided. */
export const maintenanceDecisionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'maintenance' | 'runs'>> = async (
  app,
  { maintenance, runs },
) => {
  app.route({
    method: 'GET',
    url: '/executions/:execution_id/maintenance/decisions',
    onRequest: app.inProject('read'),
    schema: {
      tags: ['maintenance'],
      security: bearer,
      headers: projectHeaders,
      operationId: 'list_maintenance_decisions',
      summary: 'What `session.maintain` decided in an execution and why, in order',
      params: z.object({ execution_id: executionIdSchema }),
      querystring: maintenanceDecisionQuery,
      response: { 200: maintenanceDecisionList, ...projectAnswers },
    },
    handler: async (request) => {
      const execution = await runs.current(projectIdOf(request), request.params.execution_id);
      return maintenance.decisions(execution, request.query);
    },
  });
};
