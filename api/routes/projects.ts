import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { newProject, project, projectList } from '../../shared/projects/model.ts';
import { wireProject } from '../../shared/projects/rules.ts';
import { errorBody } from '../../shared/wire.ts';
import { callerOf } from '../plugins/authentication.ts';
import { scopeOf } from '../plugins/project-scope.ts';
import type { Services } from '../services.ts';
import { bearer, bodyAnswers, tokenAnswers } from './answers.ts';

const common = { tags: ['projects'], security: bearer };

export const projectRoutes: FastifyPluginAsyncZod<Pick<Services, 'projects'>> = async (app, { projects }) => {
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
    handler: (request) => projects.listFor(callerOf(request).user._id),
  });

  app.route({
    method: 'POST',
    url: '/projects',
    onRequest: app.signedIn,
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
      params: z.object({ project_id: z.string() }),
      response: { 200: project, ...tokenAnswers, 404: errorBody },
    },
    handler: async (request) => wireProject(scopeOf(request).project),
  });
};
