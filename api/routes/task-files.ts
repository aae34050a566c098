import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import {
  backendConfig,
  sortOrders,
  taskFileBackends,
  taskFileList,
  taskFileSettings,
} from '../../shared/domain/backends/model.ts';
import { boolean, errorBody } from '../../shared/kernel/wire.ts';
import { bearer, tokenAnswers } from './answers.ts';

const common = { tags: ['tasks'], security: bearer };

/** The task catalog as clients browse it: by backend, category and file. */
export const taskFileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'backends'>> = async (app, { backends }) => {
  app.route({
    method: 'GET',
    url: '/task-files/settings',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_task_file_settings',
      summary: 'Default backend and how clients show tasks',
      response: { 200: taskFileSettings, ...tokenAnswers },
    },
    handler: async () => (await backends.listing()).settings(),
  });

  app.route({
    method: 'GET',
    url: '/task-files/backends',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_task_file_backends',
      summary: 'The backends that have tasks',
      response: { 200: taskFileBackends, ...tokenAnswers },
    },
    handler: async () => ({
      backends: (await backends.listing()).backends().map(({ name }) => ({ name, path: name })),
    }),
  });

  app.route({
    method: 'GET',
    url: '/task-files/backend-config',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_backend_config',
      summary: 'The tasks that are enabled on each backend, and the categories of tasks',
      response: { 200: backendConfig, ...tokenAnswers },
    },
    handler: async () => (await backends.listing()).config(),
  });

  app.route({
    method: 'GET',
    url: '/task-files/tasks',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_task_files',
      summary: 'The tasks of a backend with their parameters',
      querystring: z.object({
        backend: z.string(),
        sort_order: z
          .string()
          .optional()
          .describe(`${sortOrders.join(', ')}; by default as the settings say.`),
        enabled_only: boolean()
          .prefault(false)
          .describe('Leave out tasks that the operator has not enabled.'),
      }),
      response: { 200: taskFileList, ...tokenAnswers, 404: errorBody },
    },
    handler: async (request) => {
      const { backend, sort_order: sortOrder, enabled_only: enabledOnly } = request.query;
      return { tasks: (await backends.listing()).files(backend, { sortOrder, enabledOnly }) };
    },
  });
};
