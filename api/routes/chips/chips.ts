import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  chip,
  chipChange,
  chipDates,
  chipList,
  deletionImpact,
  newChip,
} from '../../../shared/domain/chips/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { boolean, messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf, callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  savingAnswers,
  savingHeaders,
  taggedAnswers,
} from '../answers.ts';
import { preconditionOf, tagged } from '../tagged-answers.ts';
import { chipTargetRoutes } from './chip-targets.ts';

/** Chips themselves. */
const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });

export const chipRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'chips' | 'executions' | 'notes' | 'runs' | 'schedules'>
> = async (app, options) => {
  const { chips, executions, notes, runs, schedules } = options;

  app.route({
    method: 'GET',
    url: '/chips',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_chips',
      summary: 'The chips of the project',
      response: { 200: chipList, ...projectAnswers },
    },
    handler: (request) => chips.list(projectIdOf(request)),
  });

  app.route({
    method: 'POST',
    url: '/chips',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'chip_created', target: 'chip_id', details: ['size'] } },
    schema: {
      ...common,
      operationId: 'create_chip',
      summary: 'Create a chip with the qubits and couplings of its topology',
      body: newChip,
      response: { 200: chip, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) => {
      const projectId = projectIdOf(request);
      const created = await chips.create(projectId, callerOf(request).user.username, request.body);
      // Schedules of a deleted chip with this id may still be active, if its deletion was interrupted.
      await schedules.pauseOfChip(projectId, request.body.chip_id);
      return tagged(reply, created);
    },
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_chip',
      summary: 'One chip',
      params: chipParams,
      response: { 200: chip, ...projectAnswers, ...taggedAnswers },
    },
    handler: async (request, reply) =>
      tagged(reply, await chips.read(projectIdOf(request), request.params.chip_id)),
  });

  app.route({
    method: 'PATCH',
    url: '/chips/:chip_id',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'chip_changed', details: ['topology_id', 'activity_status'] } },
    schema: {
      ...common,
      operationId: 'update_chip',
      summary: 'Change a chip; naming its topology again adds qubits and couplings that are missing',
      headers: savingHeaders,
      params: chipParams,
      body: chipChange,
      response: { 200: chip, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
    },
    handler: async (request, reply) => {
      const place = { projectId: projectIdOf(request), chipId: request.params.chip_id };
      const { note } = request.body;
      const { username } = callerOf(request).user;
      const changed = await chips.change({ ...place, username }, request.body, preconditionOf(request));
      if (typeof note === 'string') await notes.ofChip.addOwnNoteEvent(place, note, actorOf(request));
      return tagged(reply, changed);
    },
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/deletion-impact',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_chip_deletion_impact',
      summary: 'What deleting a chip would touch',
      params: chipParams,
      response: { 200: deletionImpact, ...projectAnswers },
    },
    handler: (request) => chips.deletionImpact(projectIdOf(request), request.params.chip_id),
  });

  app.route({
    method: 'DELETE',
    url: '/chips/:chip_id',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'chip_deleted', details: ['force'] } },
    schema: {
      ...common,
      operationId: 'delete_chip',
      summary: 'Delete a chip and pause its schedules; its history and results stay',
      headers: savingHeaders,
      params: chipParams,
      querystring: z.object({
        force: boolean().prefault(false).describe('Delete its qubits and couplings too.'),
      }),
      response: { 200: messageBody, ...projectAnswers, ...savingAnswers, 409: errorBody },
    },
    handler: async (request) => {
      const { chip_id } = request.params;
      const projectId = projectIdOf(request);
      const precondition = preconditionOf(request);
      await runs.whileFree(
        projectId,
        'delete the chip',
        () => chips.remove(projectId, chip_id, request.query.force, precondition),
        { chipId: chip_id, isRemoved: true },
      );
      await schedules.pauseOfChip(projectId, chip_id);
      return { message: `The chip ${chip_id} was deleted.` };
    },
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/dates',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_chip_dates',
      summary: 'Days on which the chip had executions, as YYYYMMDD',
      params: chipParams,
      response: { 200: chipDates, ...projectAnswers },
    },
    handler: async (request) => {
      const { chip_id } = await chips.mustGet(projectIdOf(request), request.params.chip_id);
      return executions.days(projectIdOf(request), chip_id);
    },
  });

  await app.register(chipTargetRoutes, options);
};
