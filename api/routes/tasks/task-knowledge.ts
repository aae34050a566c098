import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { taskKnowledge as known, taskKnowledgeList } from '../../../shared/domain/task-knowledge/model.ts';
import { projectIdIfAny } from '../../plugins/project-scope.ts';
import { bearer, projectHeaders, tokenAnswers } from '../answers.ts';
import { fileBody } from '../file-answers.ts';

const common = { tags: ['tasks'], security: bearer, headers: projectHeaders };
const taskParams = z.object({ task_name: z.string() });

/**
 * Knowledge about tasks: what they measure, what a good result looks like, how they fail, and the cases that the caller's
 * project has approved.
 */
export const taskKnowledgeRoutes: FastifyPluginAsyncZod<Pick<Areas, 'taskKnowledge'>> = async (
  app,
  { taskKnowledge },
) => {
  app.route({
    method: 'GET',
    url: '/task-knowledge',
    onRequest: app.inProjectIfAny,
    schema: {
      ...common,
      operationId: 'list_task_knowledge',
      summary: 'The tasks about which there is a page, by category and name',
      response: { 200: taskKnowledgeList, ...tokenAnswers },
    },
    handler: (request) => taskKnowledge.list(projectIdIfAny(request)),
  });

  app.route({
    method: 'GET',
    url: '/tasks/:task_name/knowledge',
    onRequest: app.inProjectIfAny,
    schema: {
      ...common,
      operationId: 'get_task_knowledge',
      summary: 'What is known about a task',
      params: taskParams,
      querystring: z.object({
        backend: z.string().optional().describe('Ignored: a page is the same for all backends.'),
      }),
      response: { 200: known, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => taskKnowledge.read(request.params.task_name, projectIdIfAny(request)),
  });

  app.route({
    method: 'GET',
    url: '/tasks/:task_name/knowledge/markdown',
    onRequest: app.inProjectIfAny,
    schema: {
      ...common,
      operationId: 'get_task_knowledge_page',
      summary: 'The page about a task as Markdown, with its pictures in it',
      params: taskParams,
      response: {
        200: { description: 'The page.', content: { 'text/markdown': { schema: fileBody } } },
        ...tokenAnswers,
        404: errorBody,
      },
    },
    handler: async (request, reply) =>
      reply
        .header('content-type', 'text/markdown; charset=utf-8')
        .send(await taskKnowledge.markdown(request.params.task_name, projectIdIfAny(request))),
  });
};
