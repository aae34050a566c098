import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  newPost,
  post,
  postChange,
  replyQuery,
  threadPage,
  threadQuery,
} from '../../../shared/domain/forum/model.ts';
import type { Member } from '../../../shared/domain/forum/rules.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { projectIdOf, scopeOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['forum'], security: bearer, headers: projectHeaders };
const params = z.object({ post_id: z.string() });

export const forumRoutes: FastifyPluginAsyncZod<Pick<Areas, 'forum' | 'chat'>> = async (
  app,
  { forum, chat },
) => {
  app.metrics.watch(
    'calibron_chat_failures',
    'Messages to the chat since the start of this process that were lost before they were stored.',
    chat.failures,
  );

  app.route({
    method: 'GET',
    url: '/forum/posts',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_forum_posts',
      summary: 'Threads, the newest first; open ones, unless another status or all are requested',
      querystring: threadQuery,
      response: { 200: threadPage, ...projectAnswers },
    },
    handler: (request) => forum.list(projectIdOf(request), request.query),
  });

  app.route({
    method: 'POST',
    url: '/forum/posts',
    onRequest: app.inProject('read'),
    config: { audit: { action: 'post_created', target: 'id', details: ['number', 'parent_id'] } },
    schema: {
      ...common,
      operationId: 'create_forum_post',
      summary: 'Start a thread, or reply to one with parent_id',
      body: newPost,
      response: { 201: post, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await forum.create(memberOf(request), request.body)),
  });

  app.route({
    method: 'GET',
    url: '/forum/posts/:post_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_forum_post',
      summary: 'A thread or a reply',
      params,
      response: { 200: post, ...projectAnswers },
    },
    handler: (request) => forum.read(projectIdOf(request), request.params.post_id),
  });

  app.route({
    method: 'PATCH',
    url: '/forum/posts/:post_id',
    onRequest: app.inProject('read'),
    config: { audit: { action: 'post_changed', details: ['status'] } },
    schema: {
      ...common,
      operationId: 'update_forum_post',
      summary: 'Change a post; editors of the project may change what a thread is filed under',
      params,
      body: postChange,
      response: { 200: post, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => forum.change(memberOf(request), request.params.post_id, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/forum/posts/:post_id',
    onRequest: app.inProject('read'),
    config: { audit: 'post_deleted' },
    schema: {
      ...common,
      operationId: 'delete_forum_post',
      summary: 'Delete a post of your own; with the first post of a thread, its replies are deleted too',
      params,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers },
    },
    handler: async (request) => {
      await forum.remove(memberOf(request), request.params.post_id);
      return { message: 'The post is deleted.' };
    },
  });

  app.route({
    method: 'GET',
    url: '/forum/posts/:post_id/replies',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_forum_replies',
      summary: 'Replies of a thread, the oldest first',
      params,
      querystring: replyQuery,
      response: { 200: z.array(post), ...projectAnswers },
    },
    handler: (request, reply) =>
      pageOfUnknown(reply, request.query, (page) =>
        forum.replies(projectIdOf(request), request.params.post_id, page),
      ),
  });

  app.route({
    method: 'PATCH',
    url: '/forum/posts/:post_id/close',
    onRequest: app.inProject('read'),
    config: { audit: 'thread_closed' },
    schema: {
      ...common,
      operationId: 'close_forum_post',
      summary: 'Close a thread: it is resolved, and takes no more replies',
      params,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await forum.setStatus(memberOf(request), request.params.post_id, 'resolved');
      return { message: 'The thread is closed.' };
    },
  });

  app.route({
    method: 'PATCH',
    url: '/forum/posts/:post_id/reopen',
    onRequest: app.inProject('read'),
    config: { audit: 'thread_reopened' },
    schema: {
      ...common,
      operationId: 'reopen_forum_post',
      summary: 'Reopen a thread',
      params,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await forum.setStatus(memberOf(request), request.params.post_id, 'open');
      return { message: 'The thread is open.' };
    },
  });
};

/** The caller as a member of the forum, with the data for its permission checks. */
function memberOf(request: FastifyRequest): Member {
  const { project, role } = scopeOf(request);
  return { projectId: project._id, role, actor: actorOf(request) };
}
