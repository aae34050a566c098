import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  adminUser,
  importAnswer,
  MAX_IMPORT_BYTES,
  userChange,
  userList,
} from '../../../shared/domain/administration/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { administrationPage, bearer, bodyAnswers, tokenAnswers } from '../answers.ts';
import { uploadedFile } from '../uploaded-file.ts';

const common = { tags: ['administration'], security: bearer };
const params = z.object({ username: z.string() });
const oneUserAnswers = { ...tokenAnswers, ...bodyAnswers, 400: errorBody, 404: errorBody, 409: errorBody };

export const adminUserRoutes: FastifyPluginAsyncZod<Pick<Areas, 'administration'>> = async (app, areas) => {
  const { administration } = areas;
  await app.register(importRoute, areas);

  app.route({
    method: 'GET',
    url: '/admin/users',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_list_users',
      summary: 'A page of all users, by username',
      querystring: administrationPage,
      response: { 200: userList, ...tokenAnswers },
    },
    handler: ({ query }) => administration.list(query.skip, query.limit),
  });

  app.route({
    method: 'GET',
    url: '/admin/users/:username',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_get_user',
      summary: 'One user',
      params,
      response: { 200: adminUser, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => administration.read(request.params.username),
  });

  app.route({
    method: 'PUT',
    url: '/admin/users/:username',
    onRequest: app.administrator,
    config: { audit: { action: 'user_changed', details: ['system_role', 'disabled'] }, endsAccess: true },
    schema: {
      ...common,
      operationId: 'admin_update_user',
      summary: 'Change an account; fields that are absent or null stay as they are',
      params,
      body: userChange,
      response: { 200: adminUser, ...oneUserAnswers },
    },
    handler: (request) =>
      administration.change(callerOf(request).user._id, request.params.username, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/admin/users/:username',
    onRequest: app.administrator,
    config: { audit: 'user_deleted', endsAccess: true },
    schema: {
      ...common,
      operationId: 'admin_delete_user',
      summary: 'Delete an account with its projects and memberships',
      params,
      response: { 200: messageBody, ...oneUserAnswers },
    },
    handler: async (request) => {
      const { username } = request.params;
      await administration.remove(callerOf(request).user, username);
      return { message: `The user ${username} was deleted.` };
    },
  });

  app.route({
    method: 'POST',
    url: '/admin/users/:username/project',
    onRequest: app.administrator,
    config: { audit: { action: 'project_created', target: 'username' } },
    schema: {
      ...common,
      operationId: 'admin_create_user_project',
      summary: 'Give a default project to a user who has none',
      params,
      response: { 201: adminUser, ...oneUserAnswers },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await administration.giveProject(request.params.username)),
  });
};

/** Registered separately, because only this route accepts a form with a file. */
const importRoute: FastifyPluginAsyncZod<Pick<Areas, 'administration'>> = async (app, { administration }) => {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { fileSize: MAX_IMPORT_BYTES, files: 1, fields: 10, parts: 11 },
  });

  app.route({
    method: 'POST',
    url: '/admin/users/bulk-import',
    onRequest: app.administrator,
    config: { audit: { action: 'users_imported', details: ['created', 'failed'] } },
    schema: {
      ...common,
      operationId: 'admin_bulk_import_users',
      summary: 'Create accounts from the CSV file `file`; passwords appear only in the answer',
      description:
        'Columns: username, and any of display_name, organization, system_role. At most 500 rows and 2 MiB.',
      consumes: ['multipart/form-data'],
      body: z.object({ file: z.string().meta({ format: 'binary' }) }),
      response: { 200: importAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody },
    },
    // The body schema only documents the form. The handler reads the file as it arrives.
    validatorCompiler: () => (value) => ({ value }),
    handler: async (request) =>
      administration.importUsers(await uploadedFile(request, 'file'), (thrown) =>
        request.log.error({ err: thrown, request_id: request.id }, 'import broken off'),
      ),
  });
};
