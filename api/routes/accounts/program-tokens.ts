import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  newProgramToken,
  programTokenList,
  programTokenQuery,
  programTokenRequest,
  programTokenRotation,
} from '../../../shared/domain/accounts/program-token-model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  newServiceAccount,
  serviceAccount,
  serviceAccountChange,
  serviceAccountList,
  serviceAccountRequest,
} from '../../../shared/domain/projects/service-account-model.ts';
import { projectIdSchema } from '../../../shared/kernel/ids.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { scopeOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['accounts'], security: bearer };
const tokenParams = z.object({ token_id: z.string() });
const changeAnswers = { ...tokenAnswers, ...bodyAnswers, 404: errorBody, 409: errorBody };

/** Tokens for programs, and service accounts of projects. Only people who signed in make and change them. */
export const programTokenRoutes: FastifyPluginAsyncZod<Pick<Areas, 'projects'>> = async (app, options) => {
  const { tokenOwners } = options.projects;
  await app.register(serviceAccountRoutes, options);

  app.route({
    method: 'GET',
    url: '/auth/tokens',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_program_tokens',
      summary: 'Your tokens for programs, oldest first',
      querystring: programTokenQuery,
      response: { 200: programTokenList, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => tokenOwners.list(callerOf(request), request.query.service_account),
  });

  app.route({
    method: 'POST',
    url: '/auth/tokens',
    onRequest: app.signedIn,
    config: {
      audit: {
        action: 'program_token_created',
        target: 'token_id',
        details: ['name', 'prefix', 'expires_at', 'service_account'],
      },
    },
    schema: {
      ...common,
      operationId: 'create_program_token',
      summary: 'Create a token for programs; it appears only in the answer',
      body: programTokenRequest,
      response: { 201: newProgramToken, ...changeAnswers },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await tokenOwners.create(callerOf(request), request.body)),
  });

  app.route({
    method: 'POST',
    url: '/auth/tokens/:token_id/rotate',
    onRequest: app.signedIn,
    config: {
      audit: { action: 'program_token_rotated', details: ['name', 'prefix', 'expires_at'] },
      endsAccess: true,
    },
    schema: {
      ...common,
      operationId: 'rotate_program_token',
      summary: 'Replace a token by a new one with the same rights; the old one ends at once',
      params: tokenParams,
      body: programTokenRotation,
      response: { 200: newProgramToken, ...changeAnswers },
    },
    handler: (request) =>
      tokenOwners.rotate(callerOf(request), request.params.token_id, request.body.expires_at),
  });

  app.route({
    method: 'DELETE',
    url: '/auth/tokens/:token_id',
    onRequest: app.signedIn,
    config: { audit: 'program_token_revoked', endsAccess: true },
    schema: {
      ...common,
      operationId: 'revoke_program_token',
      summary: 'Revoke a token for programs',
      params: tokenParams,
      response: { 200: messageBody, ...tokenAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: async (request) => {
      await tokenOwners.revoke(callerOf(request), request.params.token_id);
      return { message: 'The token was revoked.' };
    },
  });
};

const serviceAccountRoutes: FastifyPluginAsyncZod<Pick<Areas, 'projects'>> = async (app, { projects }) => {
  const { serviceAccounts } = projects;
  const accountCommon = { tags: ['projects'], security: bearer };
  const projectParams = z.object({ project_id: projectIdSchema });
  const accountParams = projectParams.extend({ username: z.string() });

  app.route({
    method: 'GET',
    url: '/projects/:project_id/service-accounts',
    onRequest: app.inProject('admin'),
    schema: {
      ...accountCommon,
      operationId: 'list_service_accounts',
      summary: 'The service accounts of a project, by username',
      params: projectParams,
      response: { 200: serviceAccountList, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => serviceAccounts.list(scopeOf(request).project),
  });

  app.route({
    method: 'POST',
    url: '/projects/:project_id/service-accounts',
    onRequest: app.inProject('admin'),
    config: {
      audit: { action: 'service_account_created', target: 'username', details: ['role'] },
    },
    schema: {
      ...accountCommon,
      operationId: 'create_service_account',
      summary: 'Create a service account with a token, which appears only in the answer',
      params: projectParams,
      body: serviceAccountRequest,
      response: { 201: newServiceAccount, ...changeAnswers },
    },
    handler: async (request, reply) =>
      reply
        .code(201)
        .send(await serviceAccounts.create(scopeOf(request).project, callerOf(request).user, request.body)),
  });

  app.route({
    method: 'PATCH',
    url: '/projects/:project_id/service-accounts/:username',
    onRequest: app.inProject('admin'),
    config: {
      audit: { action: 'service_account_changed', details: ['role', 'disabled'] },
      endsAccess: true,
    },
    schema: {
      ...accountCommon,
      operationId: 'update_service_account',
      summary: 'Change a service account; fields that are absent or null stay as they are',
      params: accountParams,
      body: serviceAccountChange,
      response: { 200: serviceAccount, ...changeAnswers },
    },
    handler: (request) =>
      serviceAccounts.change(
        scopeOf(request).project,
        callerOf(request).user,
        request.params.username,
        request.body,
      ),
  });

  app.route({
    method: 'DELETE',
    url: '/projects/:project_id/service-accounts/:username',
    onRequest: app.inProject('admin'),
    config: { audit: 'service_account_deleted', endsAccess: true },
    schema: {
      ...accountCommon,
      operationId: 'delete_service_account',
      summary: 'Delete a service account and its tokens',
      params: accountParams,
      response: { 200: messageBody, ...tokenAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: async (request) => {
      await serviceAccounts.remove(scopeOf(request).project, request.params.username);
      return { message: `The service account ${request.params.username} was deleted.` };
    },
  });
};
