import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  importSeeds,
  seedComparison,
  seedComparisonByParameter,
  seedImport,
  seedParameterNames,
  seedParameters,
} from '../../../shared/domain/calibrations/model.ts';
import { comparisonByParameter } from '../../../shared/domain/calibrations/wire.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { repeated } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const ofChip = z.object({ chip_id: z.string() });
const onlyParameters = z.object({
  parameters: repeated(z.string()).optional().describe('Only these; may be repeated.'),
});

/** Start values of calibration state: what the parameter files have, and their import. */
export const seedRoutes: FastifyPluginAsyncZod<Pick<Areas, 'calibrations'>> = async (
  app,
  { calibrations },
) => {
  const { seeds } = calibrations;

  app.route({
    method: 'GET',
    url: '/calibrations/seed-parameters',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_seed_parameters',
      summary: 'Which start values the parameter files of a chip have',
      querystring: ofChip,
      response: { 200: seedParameters, ...projectAnswers },
    },
    handler: (request) => seeds.parameters(projectIdOf(request), request.query.chip_id),
  });

  app.route({
    method: 'GET',
    url: '/calibrations/seed-parameters/:chip_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'list_seed_parameter_names',
      summary: 'Names of the parameters for which the parameter files of a chip have start values',
      params: ofChip,
      response: { 200: seedParameterNames, ...projectAnswers },
    },
    handler: async (request) => {
      const { parameters } = await seeds.parameters(projectIdOf(request), request.params.chip_id);
      return parameters.map(({ parameter_name }) => parameter_name);
    },
  });

  app.route({
    method: 'GET',
    url: '/calibrations/seed-compare/:chip_id',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'compare_seeds_by_parameter',
      summary: 'The start values of the parameter files beside calibration state, by parameter and qubit',
      params: ofChip,
      querystring: onlyParameters,
      response: { 200: seedComparisonByParameter, ...projectAnswers },
    },
    handler: async (request) => {
      const { parameters = null } = request.query;
      const compared = await seeds.compare(projectIdOf(request), request.params.chip_id, parameters);
      return comparisonByParameter(compared);
    },
  });

  app.route({
    method: 'GET',
    url: '/calibrations/seed-compare',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'compare_seeds',
      summary: 'The start values of the parameter files beside what is calibrated',
      querystring: ofChip.extend(onlyParameters.shape),
      response: { 200: seedComparison, ...projectAnswers },
    },
    handler: (request) => {
      const { chip_id, parameters = null } = request.query;
      return seeds.compare(projectIdOf(request), chip_id, parameters);
    },
  });

  app.route({
    method: 'POST',
    url: '/calibrations/seed-import',
    onRequest: app.inProject('write'),
    config: {
      audit: { action: 'values_changed', target: 'chip_id', details: ['execution_id', 'imported_count'] },
    },
    schema: {
      ...common,
      operationId: 'import_seeds',
      summary: 'Make start values, of files or of this request, the calibration state of qubits',
      body: importSeeds,
      response: { 200: seedImport, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => seeds.import(projectIdOf(request), callerOf(request).user, request.body),
  });
};
