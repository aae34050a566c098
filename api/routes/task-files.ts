import type { FastifyRequest } from 'fastify';
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
import { callerOf } from '../plugins/authentication.ts';
import { bearer, tokenAnswers } from './answers.ts';

const common = { tags: ['tasks'], security: bearer };

/** The task catalog as clients browse it: by backend, category and file. */
export const taskFileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'backends' | 'projects'>> = async (
  app,
  { backends, projects },
) => {
  /** What the caller's projects may use. */
  async function listingFor(request: Pick<FastifyRequest, 'caller'>) {
    const mine = await projects.listFor(callerOf(request).user._id);
    return backends.listing(mine.projects.map((each) => each.project_id));
  }

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
    handler: async (request) => (await listingFor(request)).settings(),
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
    handler: async (request) => ({
      backends: (await listingFor(request)).backends().map(({ name }) => ({ name, path: name })),
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
    handler: async (request) => (await listingFor(request)).config(),
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
      return { tasks: (await listingFor(request)).files(backend, { sortOrder, enabledOnly }) };
    },
  });
};
