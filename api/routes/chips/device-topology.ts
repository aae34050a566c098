import type { onRequestAsyncHookHandler } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { device, deviceRequest, plottedDevice } from '../../../shared/domain/device-topology/model.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { fileBody } from '../file-answers.ts';

/** Path, access check and OpenAPI description of the device routes in one API. */
interface DevicePlace {
  url: string;
  onRequest: onRequestAsyncHookHandler[];
  common: { tags: string[]; security: Record<string, string[]>[]; headers: z.ZodType };
}

/** Serves the calibrated device, for programs that run on it, at the path of one API. */
export const deviceTopologyAt: FastifyPluginAsyncZod<Pick<Areas, 'deviceTopology'> & DevicePlace> = async (
  app,
  { deviceTopology, url, onRequest, common },
) => {
  app.route({
    method: 'POST',
    url,
    onRequest,
    config: { audit: null, isLargeRead: true },
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
    url: `${url}/plot`,
    onRequest,
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
      reply
        .header('content-type', 'image/png')
        .send(Buffer.from(await deviceTopology.plot(request.body, askerOf(request)))),
  });
};

export const deviceTopologyRoutes: FastifyPluginAsyncZod<Pick<Areas, 'deviceTopology'>> = async (
  app,
  { deviceTopology },
) => {
  await app.register(deviceTopologyAt, {
    deviceTopology,
    url: '/device-topology',
    onRequest: app.inProject('read'),
    common: { tags: ['topology'], security: bearer, headers: projectHeaders },
  });
};
