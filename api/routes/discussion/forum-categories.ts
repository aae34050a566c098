import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { category, categoryChange, categoryList, newCategory } from '../../../shared/domain/forum/model.ts';
import { boolean, messageBody } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['forum'], security: bearer, headers: projectHeaders };
const params = z.object({ category_key: z.string() });

export const forumCategoryRoutes: FastifyPluginAsyncZod<Pick<Areas, 'forum'>> = async (app, { forum }) => {
  const { categories } = forum;

  app.route({
    method: 'GET',
    url: '/forum/categories',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_forum_categories',
      summary: 'The categories of threads, in order',
      querystring: z.object({ include_archived: boolean().prefault(false) }),
      response: { 200: categoryList, ...projectAnswers },
    },
    handler: (request) => categories.list(projectIdOf(request), request.query.include_archived),
  });

  app.route({
    method: 'POST',
    url: '/forum/categories',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'category_created', target: 'key' } },
    schema: {
      ...common,
      operationId: 'create_forum_category',
      summary: 'Add a category; without a key it gets one made of its name',
      body: newCategory,
      response: { 201: category, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await categories.create(projectIdOf(request), request.body)),
  });

  app.route({
    method: 'PATCH',
    url: '/forum/categories/:category_key',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'category_changed', details: ['is_archived'] } },
    schema: {
      ...common,
      operationId: 'update_forum_category',
      summary: 'Change, archive or restore a category; fields that are null or absent stay as they are',
      params,
      body: categoryChange,
      response: { 200: category, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => categories.change(projectIdOf(request), request.params.category_key, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/forum/categories/:category_key',
    onRequest: app.inProject('admin'),
    config: { audit: 'category_archived' },
    schema: {
      ...common,
      operationId: 'archive_forum_category',
      summary: 'Archive a category; its threads keep it',
      params,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await categories.remove(projectIdOf(request), request.params.category_key);
      return { message: 'The category is archived.' };
    },
  });
};
