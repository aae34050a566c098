import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { topology, topologyItem } from '../../../shared/science/topology/model.ts';
import { bearer, tokenAnswers } from '../answers.ts';

const common = { tags: ['topology'], security: bearer };

/** The topologies that chips may have. */
export const topologyRoutes: FastifyPluginAsyncZod<Pick<Areas, 'topologies'>> = async (
  app,
  { topologies },
) => {
  app.route({
    method: 'GET',
    url: '/topology/list',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_topologies',
      summary: 'Topologies by name, or those of one size',
      querystring: z.object({ size: integer().optional().describe('Number of qubits.') }),
      response: { 200: z.object({ topologies: z.array(topologyItem) }), ...tokenAnswers },
    },
    handler: async (request) => ({ topologies: await topologies.list(request.query.size) }),
  });

  app.route({
    method: 'GET',
    url: '/topology/:topology_id',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_topology',
      summary: 'Positions of the qubits of a topology, and its couplings',
      params: z.object({ topology_id: z.string() }),
      response: { 200: z.object({ data: topology }), ...tokenAnswers, 404: errorBody },
    },
    handler: async (request) => ({ data: await topologies.read(request.params.topology_id) }),
  });
};
