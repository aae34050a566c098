import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { device, deviceRequest, plottedDevice } from '../../shared/domain/device-topology/model.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bodyAnswers, projectAnswers } from '../routes/answers.ts';
import { fileBody } from '../routes/file-answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

type Options = Pick<Areas, 'deviceTopology'> & EarlierOptions;

/** The calibrated device for programs that run on it. */
export const deviceTopologyRoutes: FastifyPluginAsyncZod<Options> = async (
  app,
  { deviceTopology, identity },
) => {
  const common = {
    tags: ['device_topology'],
    security: identity.security,
    headers: userProjectHeaders,
  };

  app.route({
    method: 'POST',
    url: '/device_topology',
    onRequest: identity.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'get_device_topology',
      summary: 'The qubits and couplings of the chip that was measured last, as far as they are good enough',
      body: deviceRequest,
      response: { 200: device, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) => deviceTopology.read(projectIdOf(request), request.body),
  });

  app.route({
    method: 'POST',
    url: '/device_topology/plot',
    onRequest: identity.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'plot_device_topology',
      summary: 'A device as a picture',
      body: plottedDevice,
      response: {
        200: { description: 'The picture.', content: { 'image/png': { schema: fileBody } } },
        ...projectAnswers,
        ...bodyAnswers,
      },
    },
    handler: async (request, reply) =>
      reply.header('content-type', 'image/png').send(await deviceTopology.plot(request.body)),
  });
};
