import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  cooldown,
  cooldownChange,
  cooldownList,
  cooldownPage,
  newCheckpoint,
  newCooldown,
  wiringEvent,
  wiringEventList,
  wiringEventPage,
} from '../../../shared/domain/cooldowns/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { boolean, messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['cooldowns'], security: bearer, headers: projectHeaders };
const params = z.object({ cooldown_id: z.string() });
const chipParams = params.extend({ chip_id: z.string() });

export const cooldownRoutes: FastifyPluginAsyncZod<Pick<Areas, 'cooldowns'>> = async (app, options) => {
  const { cooldowns } = options;
  await app.register(chipAndWiringRoutes, options);

  app.route({
    method: 'GET',
    url: '/cooldowns',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_cooldowns',
      summary: 'The cool-downs of the project, newest first',
      querystring: cooldownPage,
      response: { 200: cooldownList, ...projectAnswers },
    },
    handler: async (request, reply) => ({
      cooldowns: await pageOfUnknown(
        reply,
        request.query,
        async (page) => (await cooldowns.list(projectIdOf(request), page)).cooldowns,
      ),
    }),
  });

  app.route({
    method: 'POST',
    url: '/cooldowns',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'cooldown_created', target: 'cooldown_id', details: ['cryo_id'] } },
    schema: {
      ...common,
      operationId: 'create_cooldown',
      summary: 'Record a cool-down that is active or over',
      body: newCooldown,
      response: { 201: cooldown, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await cooldowns.create(projectIdOf(request), request.body)),
  });

  app.route({
    method: 'GET',
    url: '/cooldowns/:cooldown_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_cooldown',
      summary: 'One cool-down',
      params,
      response: { 200: cooldown, ...projectAnswers },
    },
    handler: (request) => cooldowns.read(projectIdOf(request), request.params.cooldown_id),
  });

  app.route({
    method: 'PATCH',
    url: '/cooldowns/:cooldown_id',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'cooldown_changed', details: ['ended_at'] } },
    schema: {
      ...common,
      operationId: 'update_cooldown',
      summary: 'Change or end a cool-down; fields that are null or absent stay as they are',
      params,
      body: cooldownChange,
      response: { 200: cooldown, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      cooldowns.change(projectIdOf(request), request.params.cooldown_id, request.body, actorOf(request)),
  });

  app.route({
    method: 'PATCH',
    url: '/cooldowns/:cooldown_id/reopen',
    onRequest: app.inProject('write'),
    config: { audit: 'cooldown_reopened' },
    schema: {
      ...common,
      operationId: 'reopen_cooldown',
      summary: 'Reopen a cool-down that was ended, with the chips that it had',
      params,
      response: { 200: cooldown, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => cooldowns.reopen(projectIdOf(request), request.params.cooldown_id),
  });

  app.route({
    method: 'DELETE',
    url: '/cooldowns/:cooldown_id',
    onRequest: app.inProject('write'),
    config: { audit: 'cooldown_deleted' },
    schema: {
      ...common,
      operationId: 'delete_cooldown',
      summary: 'Delete a cool-down',
      params,
      querystring: z.object({
        force: boolean()
          .prefault(false)
          .describe('Even if it has chips or results; results keep the id of the cool-down.'),
      }),
      response: { 200: messageBody, ...projectAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await cooldowns.remove(projectIdOf(request), request.params.cooldown_id, request.query.force);
      return { message: 'The cool-down is deleted.' };
    },
  });
};

const chipAndWiringRoutes: FastifyPluginAsyncZod<Pick<Areas, 'cooldowns'>> = async (app, { cooldowns }) => {
  app.route({
    method: 'POST',
    url: '/cooldowns/:cooldown_id/chips/:chip_id',
    onRequest: app.inProject('write'),
    config: { audit: 'chip_assigned' },
    schema: {
      ...common,
      operationId: 'assign_chip',
      summary: 'Put a chip into a cool-down; until this ends, it is the current one of the chip',
      params: chipParams,
      response: { 200: cooldown, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      cooldowns.assign(projectIdOf(request), request.params.cooldown_id, request.params.chip_id),
  });

  app.route({
    method: 'DELETE',
    url: '/cooldowns/:cooldown_id/chips/:chip_id',
    onRequest: app.inProject('write'),
    config: { audit: 'chip_unassigned' },
    schema: {
      ...common,
      operationId: 'unassign_chip',
      summary: 'Take a chip out of a cool-down',
      params: chipParams,
      response: { 200: cooldown, ...projectAnswers },
    },
    handler: (request) =>
      cooldowns.unassign(projectIdOf(request), request.params.cooldown_id, request.params.chip_id),
  });

  app.route({
    method: 'POST',
    url: '/cooldowns/:cooldown_id/wiring-checkpoint',
    onRequest: app.inProject('write'),
    config: { audit: 'wiring_kept' },
    schema: {
      ...common,
      operationId: 'create_wiring_checkpoint',
      summary: 'Store a copy of the current wiring',
      params,
      body: newCheckpoint,
      response: { 201: wiringEvent, ...projectAnswers, ...bodyAnswers },
    },
    handler: async (request, reply) => {
      const { cooldown_id } = request.params;
      const { comment } = request.body;
      const kept = await cooldowns.wiring.checkpoint(
        projectIdOf(request),
        cooldown_id,
        comment,
        actorOf(request),
      );
      return reply.code(201).send(kept);
    },
  });

  app.route({
    method: 'GET',
    url: '/cooldowns/:cooldown_id/wiring-events',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_wiring_events',
      summary: 'The stored copies of the wiring, newest first',
      params,
      querystring: wiringEventPage,
      response: { 200: wiringEventList, ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { cooldown_id } = request.params;
      const read = async (page: typeof request.query) =>
        (await cooldowns.wiring.events(projectIdOf(request), cooldown_id, page)).events;
      return { events: await pageOfUnknown(reply, request.query, read) };
    },
  });
};
