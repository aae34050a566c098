import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { taskDefinitionList } from '../../shared/tasks/listing.ts';
import type { Services } from '../services.ts';
import { bearer, projectAnswers, projectHeaders } from './answers.ts';

/** What the task catalog offers to a project. */
export const taskRoutes: FastifyPluginAsyncZod<Pick<Services, 'taskListing'>> = async (
  app,
  { taskListing },
) => {
  app.route({
    method: 'GET',
    url: '/tasks',
    onRequest: app.inProject('read'),
    schema: {
      tags: ['tasks'],
      security: bearer,
      operationId: 'list_tasks',
      summary: 'The tasks of all backends, or of one',
      headers: projectHeaders,
      querystring: z.object({ backend: z.string().optional().describe('Only tasks of this backend.') }),
      response: { 200: taskDefinitionList, ...projectAnswers },
    },
    handler: async (request) => ({ tasks: taskListing.definitions(request.query.backend) }),
  });
};
