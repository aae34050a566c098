import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { member, memberChange, memberList, newMember } from '../../../shared/domain/projects/model.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { scopeOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['projects'], security: bearer };
const projectParams = z.object({ project_id: z.string() });
const memberParams = projectParams.extend({ username: z.string() });
const changeAnswers = { ...tokenAnswers, ...bodyAnswers, 400: errorBody, 404: errorBody };

export const memberRoutes: FastifyPluginAsyncZod<Pick<Areas, 'projects'>> = async (app, { projects }) => {
  const { members } = projects;
  app.route({
    method: 'GET',
    url: '/projects/:project_id/members',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_members',
      summary: 'The members of a project; former ones are shown to its owner',
      params: projectParams,
      response: { 200: memberList, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => {
      const { project, role } = scopeOf(request);
      return members.list(project, role);
    },
  });

  app.route({
    method: 'POST',
    url: '/projects/:project_id/members',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'member_added', target: 'username', details: ['role'] } },
    schema: {
      ...common,
      operationId: 'invite_member',
      summary: 'Make a user an active member, for the first time or again',
      params: projectParams,
      body: newMember,
      response: { 201: member, ...changeAnswers, 409: errorBody },
    },
    handler: async (request, reply) => {
      const invited = await members.invite(scopeOf(request).project, callerOf(request).user, request.body);
      if (!invited) throw new CalibronError('conflict', 'This user is already an active member.');
      return reply.code(201).send(invited);
    },
  });

  app.route({
    method: 'PATCH',
    url: '/projects/:project_id/members/:username',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'member_changed', details: ['role'] } },
    schema: {
      ...common,
      operationId: 'change_member_role',
      summary: 'Give an active member another role',
      params: memberParams,
      body: memberChange,
      response: { 200: member, ...changeAnswers },
    },
    handler: (request) =>
      members.changeRole(scopeOf(request).project, request.params.username, request.body.role),
  });

  app.route({
    method: 'DELETE',
    url: '/projects/:project_id/members/:username',
    onRequest: app.inProject('admin'),
    config: { audit: 'member_removed', endsAccess: true },
    schema: {
      ...common,
      operationId: 'remove_member',
      summary: 'End a membership',
      params: memberParams,
      response: { 204: z.null(), ...changeAnswers },
    },
    handler: async (request, reply) => {
      await members.remove(scopeOf(request).project, request.params.username);
      return reply.code(204).send(null);
    },
  });
};
