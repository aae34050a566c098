import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  calibrationNote,
  editParameters,
  importSeeds,
  manualEdit,
  manualEditList,
  manualEditQuery,
  savedEdit,
  seedComparison,
  seedComparisonByParameter,
  seedImport,
  seedParameterNames,
  seedParameters,
  targetEdits,
} from '../../../shared/domain/calibrations/model.ts';
import { comparisonByParameter } from '../../../shared/domain/calibrations/wire.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { repeated } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const ofChip = z.object({ chip_id: z.string() });
const optionalChip = z.object({
  chip_id: z.string().optional().describe('By default the chip that was installed last.'),
});
const onlyParameters = z.object({
  parameters: repeated(z.string()).optional().describe('Only these; may be repeated.'),
});

/** Manual changes and imports of calibration state, and the calibration note that users' programs read. */
export const calibrationRoutes: FastifyPluginAsyncZod<Pick<Areas, 'calibrations'>> = async (
  app,
  { calibrations },
) => {
  const { edits, seeds } = calibrations;

  app.route({
    method: 'GET',
    url: '/calibrations/note',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_calibration_note',
      summary: 'The calibrated gates of a chip, as programs need them to play pulses',
      querystring: optionalChip,
      response: { 200: calibrationNote, ...projectAnswers },
    },
    handler: (request) => calibrations.note(projectIdOf(request), request.query.chip_id),
  });

  app.route({
    method: 'PATCH',
    url: '/calibrations/parameters',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'values_changed', target: 'chip_id', details: ['qid', 'edit_id'] } },
    schema: {
      ...common,
      operationId: 'edit_parameters',
      summary: 'Change values of one qubit or coupling by hand',
      body: editParameters,
      response: { 200: savedEdit, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => edits.edit(projectIdOf(request), callerOf(request).user, request.body),
  });

  app.route({
    method: 'GET',
    url: '/calibrations/manual-edits',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_manual_edits',
      summary: 'What was changed by hand on a chip, newest first',
      querystring: manualEditQuery,
      response: { 200: manualEditList, ...projectAnswers },
    },
    handler: (request) => edits.list(projectIdOf(request), request.query),
  });

  app.route({
    method: 'GET',
    url: '/calibrations/manual-edits/:qid',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_target_manual_edits',
      summary: 'The manual edits of one qubit or coupling, one entry per parameter, newest first',
      params: z.object({ qid: z.string() }),
      querystring: optionalChip,
      response: { 200: targetEdits, ...projectAnswers },
    },
    handler: async (request) => {
      const projectId = projectIdOf(request);
      const chipId = await calibrations.chosenChip(projectId, request.query.chip_id);
      return edits.ofTarget(projectId, chipId, request.params.qid);
    },
  });

  app.route({
    method: 'POST',
    url: '/calibrations/manual-edits/:edit_id/undo',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'values_changed', target: 'chip_id', details: ['qid', 'undo_of'] } },
    schema: {
      ...common,
      operationId: 'undo_manual_edit',
      summary: 'Undo an edit: restore the values that its target had before',
      params: z.object({ edit_id: z.string() }),
      response: { 200: manualEdit, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => edits.undo(projectIdOf(request), callerOf(request).user, request.params.edit_id),
  });

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
