import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { backendList } from '../../shared/domain/backends/model.ts';
import { tagList } from '../../shared/domain/executions/model.ts';
import { taskDetail, taskDetailOf } from '../../shared/domain/menus/index.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { callerOf } from '../plugins/authentication.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { projectAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

const parameterList = z.object({
  parameters: z.array(
    z.object({ username: z.string(), name: z.string(), unit: z.string(), description: z.string() }),
  ),
});

type Options = Pick<Areas, 'backends' | 'executions'> & EarlierOptions;

/** Backends, tasks, parameters and tags. */
export const catalogRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { backends, executions, identity } = options;
  const common = { security: identity.security, headers: userProjectHeaders };
  const definitions = async (projectId: ProjectId, backend?: string) =>
    (await backends.listing([projectId])).definitions(backend);

  app.route({
    method: 'GET',
    url: '/backend',
    onRequest: identity.inProject('read', 'default user'),
    schema: {
      ...common,
      tags: ['backend'],
      operationId: 'list_backends',
      summary: 'The backends that the project may use',
      response: { 200: backendList.shape.backends, ...projectAnswers },
    },
    handler: async (request) => (await backends.listing([projectIdOf(request)])).backends(),
  });

  app.route({
    method: 'GET',
    url: '/tasks',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      tags: ['task'],
      operationId: 'list_tasks',
      summary: 'The tasks of all backends that the project may use, or of one',
      querystring: z.object({ backend: z.string().optional() }),
      response: { 200: z.object({ tasks: z.array(taskDetail) }), ...projectAnswers },
    },
    handler: async (request) => {
      const found = await definitions(projectIdOf(request), request.query.backend || undefined);
      return {
        tasks: found.flatMap(({ name, backend }) => {
          const task = findTask(name);
          return task ? [taskDetailOf(task, backend)] : [];
        }),
      };
    },
  });

  app.route({
    method: 'GET',
    url: '/parameter',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      tags: ['parameter'],
      operationId: 'list_parameters',
      summary: 'What tasks find, by name',
      response: { 200: parameterList, ...projectAnswers },
    },
    handler: async (request) => {
      const { username } = callerOf(request).user;
      const found = (await definitions(projectIdOf(request))).flatMap((task) =>
        Object.entries(task.output_parameters),
      );
      const parameters = [...new Map(found)].map(([name, { unit, description }]) => ({
        username,
        name,
        unit,
        description,
      }));
      return { parameters: parameters.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },
  });

  app.route({
    method: 'GET',
    url: '/tag',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      tags: ['tag'],
      operationId: 'list_tags',
      summary: 'The tags of the executions of the project, each once, by name',
      response: { 200: tagList, ...projectAnswers },
    },
    handler: (request) => executions.tags(projectIdOf(request)),
  });
};
