import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  cryostat,
  cryostatChange,
  cryostatList,
  cryostatPage,
  newCryostat,
} from '../../../shared/domain/cooldowns/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { boolean, messageBody } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['cryostats'], security: bearer, headers: projectHeaders };
const params = z.object({ cryo_id: z.string() });

export const cryostatRoutes: FastifyPluginAsyncZod<Pick<Areas, 'cooldowns'>> = async (app, { cooldowns }) => {
  const { cryostats } = cooldowns;

  app.route({
    method: 'GET',
    url: '/cryostats',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_cryostats',
      summary: 'The cryostats of the project, by id',
      querystring: cryostatPage,
      response: { 200: cryostatList, ...projectAnswers },
    },
    handler: async (request, reply) => ({
      cryostats: await pageOfUnknown(
        reply,
        request.query,
        async (page) => (await cryostats.list(projectIdOf(request), page)).cryostats,
      ),
    }),
  });

  app.route({
    method: 'POST',
    url: '/cryostats',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'cryostat_created', target: 'cryo_id' } },
    schema: {
      ...common,
      operationId: 'create_cryostat',
      summary: 'Add a cryostat',
      body: newCryostat,
      response: { 201: cryostat, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await cryostats.create(projectIdOf(request), request.body)),
  });

  app.route({
    method: 'GET',
    url: '/cryostats/:cryo_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_cryostat',
      summary: 'One cryostat',
      params,
      response: { 200: cryostat, ...projectAnswers },
    },
    handler: (request) => cryostats.read(projectIdOf(request), request.params.cryo_id),
  });

  app.route({
    method: 'PATCH',
    url: '/cryostats/:cryo_id',
    onRequest: app.inProject('write'),
    config: { audit: 'cryostat_changed' },
    schema: {
      ...common,
      operationId: 'update_cryostat',
      summary: 'Change a cryostat; fields that are null or absent stay as they are',
      params,
      body: cryostatChange,
      response: { 200: cryostat, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      cryostats.change(projectIdOf(request), request.params.cryo_id, request.body, actorOf(request)),
  });

  app.route({
    method: 'DELETE',
    url: '/cryostats/:cryo_id',
    onRequest: app.inProject('write'),
    config: { audit: 'cryostat_deleted' },
    schema: {
      ...common,
      operationId: 'delete_cryostat',
      summary: 'Delete a cryostat',
      params,
      querystring: z.object({
        force: boolean().prefault(false).describe('Even if it has cool-downs; they stay.'),
      }),
      response: { 200: messageBody, ...projectAnswers, 409: errorBody },
    },
    handler: async (request) => {
      await cryostats.remove(projectIdOf(request), request.params.cryo_id, request.query.force);
      return { message: 'The cryostat is deleted.' };
    },
  });
};
