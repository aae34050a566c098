import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  backendConfig,
  sortOrders,
  taskFileBackends,
  taskFileContent,
  taskFileList,
  taskFileSettings,
  taskTreeEntry,
} from '../../../shared/domain/backends/model.ts';
import { writeAnswer, writeRequest } from '../../../shared/domain/configuration/model.ts';
import { editedTaskFile } from '../../../shared/domain/configuration/rules.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { isError } from '../../../shared/kernel/errors.ts';
import { boolean } from '../../../shared/kernel/wire.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';
import { clientConfigurationRoutes } from './client-configuration.ts';
import { createTaskListing } from './task-listing.ts';

const common = { tags: ['tasks'], security: bearer };

/** The task catalog for browsing by backend, category and file. */
export const taskFileRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'backends' | 'configuration' | 'languageModels' | 'metrics' | 'projects'>
> = async (app, areas) => {
  const { configuration } = areas;
  const { listingFor } = createTaskListing(areas);

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

  app.route({
    method: 'GET',
    url: '/task-files/tree',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_task_file_tree',
      summary: 'The tasks of a backend as a tree of folders',
      querystring: z.object({ backend: z.string() }),
      response: { 200: z.array(taskTreeEntry), ...tokenAnswers, 404: errorBody },
    },
    handler: async (request) => (await listingFor(request)).tree(request.query.backend),
  });

  app.route({
    method: 'GET',
    url: '/task-files/content',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_task_file',
      summary: 'The declaration of a task, at a path of the tree; an edited one where there is one',
      querystring: z.object({ path: z.string() }),
      response: { 200: taskFileContent, ...tokenAnswers, 404: errorBody, 413: errorBody },
    },
    handler: async (request) => {
      const { path } = request.query;
      const listing = await listingFor(request);
      const edited = await readEdited(path);
      return edited ?? listing.content(path);
    },
  });

  /** Reads an edited task file in the configuration; null if there is none, or if the path cannot be a task file. */
  async function readEdited(path: string) {
    try {
      const file = await configuration.files.read(editedTaskFile(path));
      return { ...file, path, name: path.split('/').at(-1) ?? path };
    } catch (thrown) {
      if (isError(thrown, 'not_found', 'bad_request')) return null;
      throw thrown;
    }
  }

  app.route({
    method: 'PUT',
    url: '/task-files/content',
    onRequest: app.changesConfiguration,
    config: { audit: { action: 'configuration_written', target: 'path' } },
    schema: {
      ...common,
      operationId: 'put_task_file',
      summary:
        'Write an edited task file below task-files/ of the configuration; shipped files stay as they are',
      body: writeRequest,
      response: { 200: writeAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody, 409: errorBody },
    },
    handler: async (request) => {
      const { path, content } = request.body;
      await configuration.files.write(editedTaskFile(path), content, askerOf(request));
      return { message: 'The file was written.', path };
    },
  });

  await app.register(clientConfigurationRoutes, areas);
};
