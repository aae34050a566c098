import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { startUpdate, updateOperation, updateStatus } from '../../../shared/domain/system-updates/model.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['administration'], security: bearer };

/** Updates of the installation, for system administrators. */
export const systemUpdateRoutes: FastifyPluginAsyncZod<Pick<Areas, 'systemUpdates'>> = async (
  app,
  { systemUpdates },
) => {
  app.route({
    method: 'GET',
    url: '/admin/system-updates/status',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_system_update_status',
      summary: 'Which version is installed, and whether a newer one can be installed',
      response: { 200: updateStatus, ...tokenAnswers },
    },
    handler: () => systemUpdates.status(),
  });

  app.route({
    method: 'POST',
    url: '/admin/system-updates',
    onRequest: app.administrator,
    config: {
      audit: {
        action: 'system_update_started',
        target: 'operation_id',
        details: ['source_version', 'target_version'],
      },
    },
    schema: {
      ...common,
      operationId: 'admin_start_system_update',
      summary: 'Install the newest safe stable version; refused while a run is open anywhere',
      body: startUpdate,
      response: { 202: updateOperation, ...tokenAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) => {
      const operation = await systemUpdates.start(callerOf(request).user.username, request.body);
      return reply.code(202).send(operation);
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/system-updates/:operation_id',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_read_system_update',
      summary: 'How far an update is, or how it ended, with the newest lines of its log',
      params: z.object({ operation_id: z.string() }),
      response: { 200: updateOperation, ...tokenAnswers, 404: errorBody },
    },
    handler: ({ params }) => systemUpdates.operation(params.operation_id),
  });

  app.route({
    method: 'POST',
    url: '/admin/system-updates/:operation_id/cancel',
    onRequest: app.administrator,
    config: { audit: { action: 'system_update_cancelled', target: 'operation_id' } },
    schema: {
      ...common,
      operationId: 'admin_cancel_system_update',
      summary: 'Withdraw an update that no updater has started, so that runs may start again',
      params: z.object({ operation_id: z.string() }),
      response: { 200: updateOperation, ...tokenAnswers, ...bodyAnswers, 404: errorBody, 409: errorBody },
    },
    handler: (request) => systemUpdates.cancel(request.params.operation_id, callerOf(request).user.username),
  });
};
