import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  adminMember,
  adminMemberList,
  adminProjectList,
  newMember,
} from '../../../shared/domain/projects/model.ts';
import { adminMemberOf } from '../../../shared/domain/projects/wire.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { administrationPage, bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['administration'], security: bearer };
const projectParams = z.object({ project_id: z.string() });
const memberParams = projectParams.extend({ username: z.string() });
const oneProjectAnswers = { ...tokenAnswers, ...bodyAnswers, 400: errorBody, 404: errorBody };

/** Project administration. Administrators need not be members of the projects. */
export const adminProjectRoutes: FastifyPluginAsyncZod<Pick<Areas, 'projects'>> = async (
  app,
  { projects },
) => {
  const { members, deletion } = projects;

  app.route({
    method: 'GET',
    url: '/admin/projects',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_list_projects',
      summary: 'A page of all projects, oldest first',
      querystring: administrationPage,
      response: { 200: adminProjectList, ...tokenAnswers },
    },
    handler: ({ query }) => members.listProjects(query.skip, query.limit),
  });

  app.route({
    method: 'DELETE',
    url: '/admin/projects/:project_id',
    onRequest: app.administrator,
    config: { audit: 'project_deleted', endsAccess: true },
    schema: {
      ...common,
      operationId: 'admin_delete_project',
      summary: 'Delete a project with all that it owns; refused while a run holds it',
      params: projectParams,
      response: { 200: messageBody, ...oneProjectAnswers, 409: errorBody },
    },
    handler: async (request) => {
      const project = await projects.read(request.params.project_id);
      if (project.owner_user_id === callerOf(request).user._id) {
        throw new CalibronError(
          'bad_request',
          'You own this project. Delete it with DELETE /projects/{project_id}.',
        );
      }
      await deletion.delete(project._id, callerOf(request).user._id);
      return { message: `The project ${project.name} was deleted.` };
    },
  });

  app.route({
    method: 'GET',
    url: '/admin/projects/:project_id/members',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_list_members',
      summary: 'The active members of a project',
      params: projectParams,
      response: { 200: adminMemberList, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => members.listForAdministrator(request.params.project_id),
  });

  app.route({
    method: 'POST',
    url: '/admin/projects/:project_id/members',
    onRequest: app.administrator,
    config: { audit: { action: 'member_added', target: 'username', details: ['role'] } },
    schema: {
      ...common,
      operationId: 'admin_add_member',
      summary: 'Make a user an active member, for the first time or again',
      params: projectParams,
      body: newMember,
      response: { 201: adminMember, ...oneProjectAnswers },
    },
    handler: async (request, reply) => {
      const project = await projects.read(request.params.project_id);
      const added = await members.invite(project, callerOf(request).user, request.body);
      if (!added) throw new CalibronError('already_exists', 'This user is already an active member.');
      return reply.code(201).send(adminMemberOf(added));
    },
  });

  app.route({
    method: 'DELETE',
    url: '/admin/projects/:project_id/members/:username',
    onRequest: app.administrator,
    config: { audit: 'member_removed', endsAccess: true },
    schema: {
      ...common,
      operationId: 'admin_remove_member',
      summary: 'End a membership',
      params: memberParams,
      response: { 200: messageBody, ...oneProjectAnswers },
    },
    handler: async (request) => {
      const { project_id, username } = request.params;
      const project = await projects.read(project_id);
      await members.remove(project, username);
      return { message: `${username} is no longer a member of ${project.name}.` };
    },
  });
};
