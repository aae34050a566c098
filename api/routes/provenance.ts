import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { lineage, provenanceHistory } from '../../shared/domain/provenance/model.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { integer } from '../../shared/kernel/wire.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from './answers.ts';

const common = { tags: ['provenance'], security: bearer, headers: projectHeaders };

export const provenanceRoutes: FastifyPluginAsyncZod<Pick<Areas, 'provenance'>> = async (
  app,
  { provenance },
) => {
  app.route({
    method: 'GET',
    url: '/provenance/history',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_parameter_history',
      summary: 'The versions of a parameter, newest first',
      querystring: z.object({
        parameter_name: z.string(),
        qid: z.string().describe('`0`, `Q0` and `Q00` name the same qubit.'),
        limit: integer({ min: 1, max: 100 }).prefault(50),
      }),
      response: { 200: provenanceHistory, ...projectAnswers },
    },
    handler: (request) => {
      const { parameter_name, qid, limit } = request.query;
      return provenance.history(projectIdOf(request), parameter_name, qid, limit);
    },
  });

  app.route({
    method: 'GET',
    url: '/provenance/lineage/:entity_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_lineage',
      summary: 'Where a version came from: its ancestors, breadth first',
      params: z.object({ entity_id: z.string() }),
      querystring: z.object({ max_depth: integer({ min: 1, max: 20 }).prefault(5) }),
      response: { 200: lineage, ...projectAnswers },
    },
    handler: async (request) => {
      const { entity_id } = request.params;
      const found = await provenance.lineage(projectIdOf(request), entity_id, request.query.max_depth);
      if (!found) throw new CalibronError('not_found', 'There is no such parameter version in this project.');
      return found;
    },
  });
};
