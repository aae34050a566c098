import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { connectedBackendList } from '../../../shared/domain/backend-workers/model.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

/** The measurement backends. */
export const backendRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'backends' | 'backendWorkers' | 'projects'>
> = async (app, { backends, backendWorkers, projects }) => {
  app.route({
    method: 'GET',
    url: '/backends',
    onRequest: app.inProject('read'),
    schema: {
      tags: ['tasks'],
      security: bearer,
      operationId: 'list_backends',
      summary: 'The backends that the project may use, who looks after them, and which workers serve them',
      headers: projectHeaders,
      response: { 200: connectedBackendList, ...projectAnswers },
    },
    handler: async (request) => {
      const { user, token } = callerOf(request);
      const [listing, mine] = await Promise.all([
        backends.listing([projectIdOf(request)]),
        projects.listFor(user._id, token?.program?.project_id ?? undefined),
      ]);
      const own = mine.projects.map((each) => each.project_id);
      const connected = listing.backends().map(async (backend) => ({
        ...backend,
        workers: await backendWorkers.connected(backend.name, own),
      }));
      return { backends: await Promise.all(connected) };
    },
  });
};
