import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  calibrationNote,
  editParameters,
  manualEdit,
  manualEditList,
  manualEditQuery,
  savedEdit,
  targetEdits,
} from '../../../shared/domain/calibrations/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { seedRoutes } from './seeds.ts';

const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const optionalChip = z.object({
  chip_id: z.string().optional().describe('By default the chip that was installed last.'),
});
/** Manual changes of calibration state, and the calibration note that users' programs read. */
export const calibrationRoutes: FastifyPluginAsyncZod<Pick<Areas, 'calibrations'>> = async (app, options) => {
  const { calibrations } = options;
  const { edits } = calibrations;

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

  await app.register(seedRoutes, options);
};
