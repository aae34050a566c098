import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  caseChange,
  caseQuery,
  knowledgeCase,
  knowledgeCaseList,
} from '../../../shared/domain/knowledge-cases/model.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf, callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['issues'], security: bearer, headers: projectHeaders };
const params = z.object({ knowledge_id: z.string() });

/** Knowledge about tasks gained from issues. */
export const issueKnowledgeRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'issues' | 'knowledgeCases' | 'taskKnowledge'>
> = async (app, { issues, knowledgeCases, taskKnowledge }) => {
  app.route({
    method: 'POST',
    url: '/issues/:issue_id/extract-knowledge',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'knowledge_extracted', details: ['id'] } },
    schema: {
      ...common,
      operationId: 'extract_knowledge',
      summary: 'Create a draft of a knowledge case from a closed issue; it replaces an earlier draft',
      params: z.object({ issue_id: z.string() }),
      response: {
        201: knowledgeCase,
        ...projectAnswers,
        ...bodyAnswers,
        409: errorBody,
        502: errorBody,
      },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await issues.extractKnowledge(projectIdOf(request), request.params.issue_id)),
  });

  app.route({
    method: 'GET',
    url: '/issue-knowledge',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_knowledge_cases',
      summary: 'The knowledge cases of the project, newest first',
      querystring: caseQuery,
      response: { 200: knowledgeCaseList, ...projectAnswers },
    },
    handler: (request) => knowledgeCases.list(projectIdOf(request), request.query),
  });

  app.route({
    method: 'GET',
    url: '/issue-knowledge/:knowledge_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_knowledge_case',
      summary: 'One knowledge case',
      params,
      response: { 200: knowledgeCase, ...projectAnswers },
    },
    handler: (request) => knowledgeCases.read(projectIdOf(request), request.params.knowledge_id),
  });

  app.route({
    method: 'PATCH',
    url: '/issue-knowledge/:knowledge_id',
    onRequest: app.inProject('write'),
    config: { audit: 'knowledge_changed' },
    schema: {
      ...common,
      operationId: 'update_knowledge_case',
      summary: 'Change a draft; fields that are null or absent stay as they are',
      params,
      body: caseChange,
      response: { 200: knowledgeCase, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      knowledgeCases.change(projectIdOf(request), request.params.knowledge_id, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/issue-knowledge/:knowledge_id',
    onRequest: app.inProject('write'),
    config: { audit: 'knowledge_deleted' },
    schema: {
      ...common,
      operationId: 'delete_knowledge_case',
      summary: 'Delete a knowledge case, approved or not',
      params,
      response: { 200: messageBody, ...projectAnswers },
    },
    handler: async (request) => {
      await knowledgeCases.remove(projectIdOf(request), request.params.knowledge_id);
      return { message: 'The knowledge case is deleted.' };
    },
  });

  app.route({
    method: 'PATCH',
    url: '/issue-knowledge/:knowledge_id/approve',
    onRequest: app.inProject('write'),
    config: { audit: 'knowledge_approved' },
    schema: {
      ...common,
      operationId: 'approve_knowledge_case',
      summary: 'Approve a draft: from then on it is part of the knowledge about its task',
      params,
      response: { 200: knowledgeCase, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      taskKnowledge.approveCase(projectIdOf(request), request.params.knowledge_id, actorOf(request)),
  });

  app.route({
    method: 'PATCH',
    url: '/issue-knowledge/:knowledge_id/reject',
    onRequest: app.inProject('write'),
    config: { audit: 'knowledge_rejected' },
    schema: {
      ...common,
      operationId: 'reject_knowledge_case',
      summary: 'Reject a draft',
      params,
      response: { 200: knowledgeCase, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      knowledgeCases.reject(projectIdOf(request), request.params.knowledge_id, actorOf(request)),
  });

  app.route({
    method: 'POST',
    url: '/issue-knowledge/:knowledge_id/export',
    onRequest: app.inProject('write'),
    config: { audit: 'knowledge_exported' },
    schema: {
      ...common,
      operationId: 'export_knowledge_case',
      summary: 'Export an approved case again after its export was given up',
      params,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await taskKnowledge.exportCase(
        projectIdOf(request),
        request.params.knowledge_id,
        callerOf(request).user._id,
      );
      return { message: 'The case is being exported.' };
    },
  });
};
