import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { deviceTopologyAt } from '../routes/chips/device-topology.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

export const deviceTopologyRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'deviceTopology'> & EarlierOptions
> = async (app, { deviceTopology, identity }) => {
  await app.register(deviceTopologyAt, {
    deviceTopology,
    url: '/device_topology',
    onRequest: identity.inProject('read'),
    common: { tags: ['device_topology'], security: identity.security, headers: userProjectHeaders },
  });
};
