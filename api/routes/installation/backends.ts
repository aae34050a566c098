import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { backendList } from '../../../shared/domain/backends/model.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

/** The measurement backends. */
export const backendRoutes: FastifyPluginAsyncZod<Pick<Areas, 'backends'>> = async (app, { backends }) => {
  app.route({
    method: 'GET',
    url: '/backends',
    onRequest: app.inProject('read'),
    schema: {
      tags: ['tasks'],
      security: bearer,
      operationId: 'list_backends',
      summary: 'The backends that the project may use, and who looks after them',
      headers: projectHeaders,
      response: { 200: backendList, ...projectAnswers },
    },
    handler: async (request) => ({
      backends: (await backends.listing([projectIdOf(request)])).backends(),
    }),
  });
};
