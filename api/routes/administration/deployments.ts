import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  deployedRunList,
  deployedRunPage,
  deploymentPage,
  deploymentVersionList,
} from '../../../shared/domain/deployments/model.ts';
import { bearer, tokenAnswers } from '../answers.ts';

const common = { tags: ['administration'], security: bearer };

/** The versions of the workers of runs, for system administrators. */
export const deploymentRoutes: FastifyPluginAsyncZod<Pick<Areas, 'deployments'>> = async (
  app,
  { deployments },
) => {
  app.route({
    method: 'GET',
    url: '/admin/deployments',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_list_deployments',
      summary: 'The versions of the workers of runs: the current one first, then the newest',
      querystring: deploymentPage,
      response: { 200: deploymentVersionList, ...tokenAnswers },
    },
    handler: ({ query }) => deployments.versions(query),
  });

  app.route({
    method: 'GET',
    url: '/admin/deployments/runs',
    onRequest: app.administrator,
    schema: {
      ...common,
      operationId: 'admin_list_deployed_runs',
      summary: 'The open runs with the versions that carry them out, and those that a rollback would stop',
      querystring: deployedRunPage,
      response: { 200: deployedRunList, ...tokenAnswers },
    },
    handler: ({ query }) => deployments.runs(query),
  });
};
