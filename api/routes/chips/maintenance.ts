import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  maintainedValues,
  maintenanceGraphShown,
  maintenanceQuery,
  maintenanceSummary,
} from '../../../shared/domain/maintenance/model.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';
import { fileBody } from '../file-answers.ts';

const common = { tags: ['maintenance'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });

/** Which values of a chip depend on which, and which of them still hold. */
export const maintenanceRoutes: FastifyPluginAsyncZod<Pick<Areas, 'maintenance'>> = async (
  app,
  { maintenance },
) => {
  app.route({
    method: 'GET',
    url: '/chips/:chip_id/maintenance',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_maintenance',
      summary: 'Which calibration values of a chip still hold, and why not: qubits by number, then couplings',
      params: chipParams,
      querystring: maintenanceQuery,
      response: { 200: maintainedValues, ...projectAnswers },
    },
    handler: (request) => maintenance.states(projectIdOf(request), request.params.chip_id, request.query),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/maintenance/summary',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_maintenance_summary',
      summary: 'How many calibration values of a chip are in which state',
      params: chipParams,
      response: { 200: maintenanceSummary, ...projectAnswers },
    },
    handler: (request) => maintenance.summary(projectIdOf(request), request.params.chip_id),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/maintenance/graph',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_maintenance_graph',
      summary: 'Which calibration value of a chip depends on which; never a cycle',
      params: chipParams,
      response: { 200: maintenanceGraphShown, ...projectAnswers },
    },
    handler: (request) => maintenance.graph(projectIdOf(request), request.params.chip_id),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/maintenance/graph/dot',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_maintenance_graph_as_dot',
      summary:
        'The same in the language of Graphviz: an arrow from each task to those that read what it finds',
      params: chipParams,
      response: {
        200: { description: 'The graph.', content: { 'text/vnd.graphviz': { schema: fileBody } } },
        ...projectAnswers,
      },
    },
    handler: async (request, reply) =>
      reply
        .type('text/vnd.graphviz; charset=utf-8')
        .send(await maintenance.drawnGraph(projectIdOf(request), request.params.chip_id, 'dot')),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/maintenance/graph/picture',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_maintenance_graph_as_picture',
      summary: 'The same as a picture: each task to the right of all that it depends on',
      params: chipParams,
      response: {
        200: { description: 'The picture.', content: { 'image/svg+xml': { schema: fileBody } } },
        ...projectAnswers,
      },
    },
    handler: async (request, reply) =>
      reply
        .type('image/svg+xml; charset=utf-8')
        .send(await maintenance.drawnGraph(projectIdOf(request), request.params.chip_id, 'svg')),
  });
};
