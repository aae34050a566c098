import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { explanation } from '../../../shared/domain/explanations/model.ts';
import { projectIdSchema } from '../../../shared/kernel/ids.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';
import { PAGE_POLICY, prefersPage } from '../pages.ts';
import { explanationPage } from './explanation-page.ts';

export const explanationRoutes: FastifyPluginAsyncZod<Pick<Areas, 'explanations'>> = async (
  app,
  { explanations },
) => {
  app.route({
    method: 'GET',
    url: '/provenance/explain/:entity_id',
    onRequest: [...app.opensPage, ...app.inProject('read')],
    config: { isLargeRead: true },
    schema: {
      tags: ['provenance'],
      security: bearer,
      headers: projectHeaders,
      operationId: 'explain_parameter_version',
      summary: 'Why a value is what it is; a page if the client asks for text/html',
      description:
        'A browser may send the access token in the cookie access_token, which the client sets, and name the project in the query.',
      params: z.object({ entity_id: z.string() }),
      querystring: z.object({
        project_id: projectIdSchema.optional().describe('In place of the header X-Project-Id, for links.'),
      }),
      response: {
        200: {
          description: 'Everything that is kept about the value.',
          content: {
            'application/json': { schema: explanation },
            'text/html': { schema: z.string() },
          },
        },
        ...projectAnswers,
      },
    },
    handler: async (request, reply) => {
      const found = await explanations.explain(projectIdOf(request), request.params.entity_id);
      void reply.header('vary', 'accept');
      if (!prefersPage(request.headers.accept)) return reply.type('application/json').send(found);
      return reply
        .header('content-security-policy', PAGE_POLICY)
        .type('text/html; charset=utf-8')
        .send(explanationPage(found));
    },
  });
};
