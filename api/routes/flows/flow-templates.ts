import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { flowTemplate } from '../../../shared/domain/flows/model.ts';
import { flowTemplateDetail } from '../../../shared/domain/flows/saved-flow-model.ts';
import { bearer, tokenAnswers } from '../answers.ts';

const common = { tags: ['flows'], security: bearer };

/** What a user starts from when writing a flow: templates, and the declarations of what flows work with. */
export const flowTemplateRoutes: FastifyPluginAsyncZod<Pick<Areas, 'flows'>> = async (app, { flows }) => {
  app.route({
    method: 'GET',
    url: '/flows/templates',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_flow_templates',
      summary: 'Shipped starting points for flows',
      response: { 200: z.array(flowTemplate), ...tokenAnswers },
    },
    handler: () => flows.templates.list(),
  });

  app.route({
    method: 'GET',
    url: '/flows/templates/:template_id',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_flow_template',
      summary: 'One template with its code',
      params: z.object({ template_id: z.string() }),
      response: { 200: flowTemplateDetail, ...tokenAnswers, 404: errorBody },
    },
    handler: (request) => flows.templates.read(request.params.template_id),
  });

  app.route({
    method: 'GET',
    url: '/flows/helpers',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_flow_helpers',
      summary: 'The files that declare what a flow works with, the main one first',
      response: { 200: z.array(z.string()), ...tokenAnswers },
    },
    handler: () => flows.helpers.list(),
  });

  app.route({
    method: 'GET',
    url: '/flows/helpers/:filename',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_flow_helper',
      summary: 'The text of one helper file',
      params: z.object({ filename: z.string() }),
      response: { 200: z.string(), ...tokenAnswers, 400: errorBody, 404: errorBody },
    },
    // Fastify would send a plain string unquoted, but the response must be a JSON string.
    handler: async (request, reply) => {
      const text = await flows.helpers.read(request.params.filename);
      return reply.type('application/json').send(JSON.stringify(text));
    },
  });
};
