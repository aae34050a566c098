import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  issue,
  issues as issueArray,
  issueChange,
  issueList,
  issueQuery,
  newIssue,
  writtenQuery,
} from '../../../shared/domain/issues/model.ts';
import { taskIdSchema } from '../../../shared/kernel/ids.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { projectIdOf, scopeOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { issueAiReplyRoutes } from './issue-ai-reply.ts';

const common = { tags: ['issues'], security: bearer, headers: projectHeaders };
const params = z.object({ issue_id: z.string() });
const taskParams = z.object({ task_id: taskIdSchema });

/** Issues: discussions of task results. Every member may write. */
export const issueRoutes: FastifyPluginAsyncZod<Pick<Areas, 'issues'>> = async (app, options) => {
  const { issues } = options;
  const memberOf = (request: Parameters<typeof actorOf>[0] & Parameters<typeof scopeOf>[0]) => ({
    ...actorOf(request),
    isOwner: scopeOf(request).role === 'owner',
  });

  app.route({
    method: 'GET',
    url: '/issues',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_issues',
      summary: 'The issues of the project with the number of their replies, newest first',
      querystring: issueQuery,
      response: { 200: issueList, ...projectAnswers },
    },
    handler: (request) => issues.list(projectIdOf(request), request.query),
  });

  app.route({
    method: 'GET',
    url: '/task-results/:task_id/issues',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_issues_of_result',
      summary: 'The issues on a task result and the replies to them, oldest first, up to 1000 at once',
      params: taskParams,
      querystring: writtenQuery,
      response: { 200: issueArray, ...projectAnswers },
    },
    handler: (request, reply) =>
      pageOfUnknown(reply, request.query, (page) =>
        issues.ofTask(projectIdOf(request), request.params.task_id, page),
      ),
  });

  app.route({
    method: 'POST',
    url: '/task-results/:task_id/issues',
    onRequest: app.inProject('read'),
    config: { audit: { action: 'issue_written', target: 'id' } },
    schema: {
      ...common,
      operationId: 'create_issue',
      summary: 'Open an issue on a task result, or with a parent_id reply to one',
      params: taskParams,
      body: newIssue,
      response: { 201: issue, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) =>
      reply
        .code(201)
        .send(
          await issues.create(projectIdOf(request), request.params.task_id, request.body, memberOf(request)),
        ),
  });

  app.route({
    method: 'GET',
    url: '/issues/:issue_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_issue',
      summary: 'One issue, or one reply',
      params,
      response: { 200: issue, ...projectAnswers },
    },
    handler: (request) => issues.read(projectIdOf(request), request.params.issue_id),
  });

  app.route({
    method: 'GET',
    url: '/issues/:issue_id/replies',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_issue_replies',
      summary: 'The replies to an issue, oldest first',
      params,
      response: { 200: issueArray, ...projectAnswers },
    },
    handler: (request) => issues.replies(projectIdOf(request), request.params.issue_id),
  });

  app.route({
    method: 'PATCH',
    url: '/issues/:issue_id',
    onRequest: app.inProject('read'),
    config: { audit: 'issue_written' },
    schema: {
      ...common,
      operationId: 'update_issue',
      summary: 'Change a text of your own; a title that is null or absent stays as it is',
      params,
      body: issueChange,
      response: { 200: issue, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      issues.change(projectIdOf(request), request.params.issue_id, request.body, memberOf(request)),
  });

  app.route({
    method: 'DELETE',
    url: '/issues/:issue_id',
    onRequest: app.inProject('read'),
    config: { audit: 'issue_deleted' },
    schema: {
      ...common,
      operationId: 'delete_issue',
      summary: 'Delete a text of your own; an issue is deleted with its replies',
      params,
      response: { 200: messageBody, ...projectAnswers },
    },
    handler: async (request) => {
      await issues.remove(projectIdOf(request), request.params.issue_id, memberOf(request));
      return { message: 'The issue is deleted.' };
    },
  });

  for (const [word, isClosed] of [
    ['close', true],
    ['reopen', false],
  ] as const) {
    app.route({
      method: 'PATCH',
      url: `/issues/:issue_id/${word}`,
      onRequest: app.inProject('read'),
      config: { audit: isClosed ? 'issue_closed' : 'issue_reopened' },
      schema: {
        ...common,
        operationId: `${word}_issue`,
        summary: isClosed ? 'Close an issue' : 'Reopen a closed issue',
        params,
        response: { 200: messageBody, ...projectAnswers, ...bodyAnswers },
      },
      handler: async (request) => {
        await issues.setClosed(projectIdOf(request), request.params.issue_id, isClosed, memberOf(request));
        return { message: isClosed ? 'The issue is closed.' : 'The issue is open.' };
      },
    });
  }

  await app.register(issueAiReplyRoutes, options);
};
