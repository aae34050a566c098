import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { coupling, couplingList, qubit, qubitList } from '../../../shared/domain/chips/model.ts';
import { integer, repeated } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });

/** The qubits and couplings of chips. */
export const chipTargetRoutes: FastifyPluginAsyncZod<Pick<Areas, 'chips'>> = async (app, { chips }) => {
  app.route({
    method: 'GET',
    url: '/chips/:chip_id/qubits',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_qubits',
      summary: 'A page of the qubits of a chip, by number',
      params: chipParams,
      querystring: z.object({
        limit: integer({ min: 1, max: 256 }).prefault(50),
        offset: integer({ min: 0 }).prefault(0),
        qids: repeated(z.string()).prefault([]).describe('Only these qubits; may be repeated.'),
      }),
      response: { 200: qubitList, ...projectAnswers },
    },
    handler: (request) => chips.listQubits(projectIdOf(request), request.params.chip_id, request.query),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/qubits/:qid',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_qubit',
      summary: 'One qubit with its calibration values',
      params: chipParams.extend({ qid: z.string() }),
      response: { 200: qubit, ...projectAnswers },
    },
    handler: (request) =>
      chips.readTarget('qubit', projectIdOf(request), request.params.chip_id, request.params.qid),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/couplings',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_couplings',
      summary: 'A page of the couplings of a chip, by control, then target',
      params: chipParams,
      querystring: z.object({
        limit: integer({ min: 1, max: 512 }).prefault(100),
        offset: integer({ min: 0 }).prefault(0),
      }),
      response: { 200: couplingList, ...projectAnswers },
    },
    handler: (request) => chips.listCouplings(projectIdOf(request), request.params.chip_id, request.query),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/couplings/:coupling_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_coupling',
      summary: 'One coupling with its calibration values',
      params: chipParams.extend({ coupling_id: z.string().describe('`<control>-<target>`') }),
      response: { 200: coupling, ...projectAnswers },
    },
    handler: (request) =>
      chips.readTarget('coupling', projectIdOf(request), request.params.chip_id, request.params.coupling_id),
  });
};
