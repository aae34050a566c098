import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  newProject,
  project,
  projectChange,
  projectList,
  transfer,
} from '../../../shared/domain/projects/model.ts';
import { projectOf } from '../../../shared/domain/projects/wire.ts';
import { projectIdSchema } from '../../../shared/kernel/ids.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf, scopeOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['projects'], security: bearer };
const params = z.object({ project_id: projectIdSchema });

export const projectRoutes: FastifyPluginAsyncZod<Pick<Areas, 'projects'>> = async (app, { projects }) => {
  const { members, deletion } = projects;

  app.route({
    method: 'GET',
    url: '/projects',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_projects',
      summary: 'The projects that the caller can enter',
      response: { 200: projectList, ...tokenAnswers },
    },
    handler: (request) => {
      const { user, token } = callerOf(request);
      return projects.listFor(user._id, token?.program?.project_id ?? undefined);
    },
  });

  app.route({
    method: 'POST',
    url: '/projects',
    onRequest: app.signedIn,
    config: { audit: { action: 'project_created', target: 'name' } },
    schema: {
      ...common,
      operationId: 'create_project',
      summary: 'Create a project; the caller becomes its owner',
      body: newProject,
      response: { 201: project, ...tokenAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) => {
      const { _id: user_id, username } = callerOf(request).user;
      return reply.code(201).send(await projects.create({ user_id, username }, request.body));
    },
  });

  app.route({
    method: 'GET',
    url: '/projects/:project_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_project',
      summary: 'One project',
      params,
      response: { 200: project, ...tokenAnswers, 404: errorBody },
    },
    handler: async (request) => projectOf(scopeOf(request).project),
  });

  app.route({
    method: 'PATCH',
    url: '/projects/:project_id',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'project_changed', details: ['name', 'default_role'] } },
    schema: {
      ...common,
      operationId: 'update_project',
      summary: 'Rename a project, or change how it invites',
      params,
      body: projectChange,
      response: { 200: project, ...tokenAnswers, ...bodyAnswers, 404: errorBody, 409: errorBody },
    },
    handler: (request) => projects.change(projectIdOf(request), request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/projects/:project_id',
    onRequest: app.inProject('admin'),
    config: { audit: 'project_deleted', endsAccess: true },
    schema: {
      ...common,
      operationId: 'delete_project',
      summary: 'Delete a project with all that it owns; refused while a run holds it',
      params,
      response: { 204: z.null(), ...tokenAnswers, 404: errorBody, 409: errorBody },
    },
    handler: async (request, reply) => {
      await deletion.delete(projectIdOf(request), callerOf(request).user._id);
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'POST',
    url: '/projects/:project_id/transfer',
    onRequest: app.administrator,
    config: { audit: { action: 'project_transferred', target: 'username' } },
    schema: {
      ...common,
      operationId: 'transfer_project',
      summary: 'Transfer a project to another owner; the former one stays as editor',
      params,
      body: transfer,
      response: {
        200: project,
        ...tokenAnswers,
        ...bodyAnswers,
        400: errorBody,
        404: errorBody,
        409: errorBody,
      },
    },
    handler: (request) => members.transfer(request.params.project_id, request.body.username),
  });
};
