import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  flowVersionDetail,
  flowVersionList,
  flowVersionPage,
  savedFlowAnswer,
} from '../../../shared/domain/flows/saved-flow-model.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  savingAnswers,
  savingHeaders,
} from '../answers.ts';
import { preconditionOf, tagged } from '../tagged-answers.ts';

const common = { tags: ['flows'], security: bearer };
const flowParams = z.object({ name: z.string() });
const versionParams = flowParams.extend({ version_id: z.string() });

/** Earlier versions of flows. */
export const flowVersionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'flows'>> = async (app, { flows }) => {
  app.route({
    method: 'GET',
    url: '/flows/:name/versions',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_flow_versions',
      summary: 'The kept versions of a flow, most recently saved first',
      headers: projectHeaders,
      params: flowParams,
      querystring: flowVersionPage,
      response: { 200: flowVersionList, ...projectAnswers },
    },
    handler: (request) => flows.versions.list(projectIdOf(request), request.params.name, request.query),
  });

  app.route({
    method: 'GET',
    url: '/flows/:name/versions/:version_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_flow_version',
      summary: 'One version of a flow with its code',
      headers: projectHeaders,
      params: versionParams,
      response: { 200: flowVersionDetail, ...projectAnswers },
    },
    handler: (request) =>
      flows.versions.read(projectIdOf(request), request.params.name, request.params.version_id),
  });

  app.route({
    method: 'POST',
    url: '/flows/:name/versions/:version_id/restore',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'flow_restored', target: 'name' } },
    schema: {
      ...common,
      operationId: 'restore_flow_version',
      summary: 'Restore a version of a flow: it is saved again as the current one',
      headers: savingHeaders,
      params: versionParams,
      response: { 200: savedFlowAnswer, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
    },
    handler: async (request, reply) => {
      const { name, version_id } = request.params;
      const { username } = callerOf(request).user;
      const { value, tag } = await flows.versions.restore(
        projectIdOf(request),
        username,
        { name, versionId: version_id },
        {
          precondition: preconditionOf(request),
          share: { user: shareUserId(callerOf(request).user), project: projectIdOf(request) },
        },
      );
      return tagged(reply, value, tag);
    },
  });
};
