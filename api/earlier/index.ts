import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Areas } from '../../shared/domain/areas.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { describedDocument, describedRoute } from '../document/described-document.ts';
import { EARLIER_PREFIX, serversOf } from '../plugins/openapi.ts';
import { authRoutes } from './auth.ts';
import { calibrationRoutes } from './calibration.ts';
import { catalogRoutes } from './catalog.ts';
import { chipRoutes } from './chips.ts';
import { deviceTopologyRoutes } from './device-topology.ts';
import { executionRoutes } from './executions.ts';
import { fileRoutes } from './files.ts';
import { createIdentity } from './identity.ts';
import { menuRoutes } from './menus.ts';
import { muxRoutes } from './muxes.ts';
import { scheduleRoutes } from './schedules.ts';
import { settingsRoutes } from './settings.ts';
import { taskResultRoutes } from './task-results.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The OpenAPI document of the earlier interface. */
    earlierDocument(): object;
    /** Its generator, available only within that interface. */
    earlierSwagger: FastifyInstance['swagger'];
  }
}

const tags = [
  { name: 'auth', description: 'Login, and who one is.' },
  { name: 'backend', description: 'What measures.' },
  { name: 'calibration', description: 'Runs of menus, now and at set times.' },
  { name: 'chip', description: 'Chips, their executions, multiplexers and results.' },
  { name: 'device_topology', description: 'The calibrated device for programs that run on it.' },
  { name: 'executions', description: 'Figures, and whether a calibration is under way.' },
  { name: 'file', description: 'Raw data and archives by path.' },
  { name: 'menu', description: 'What to calibrate: tasks, and the order of the targets.' },
  { name: 'parameter', description: 'What tasks find.' },
  { name: 'settings', description: 'What the installation is set to.' },
  { name: 'tag', description: 'Tags of executions.' },
  { name: 'task', description: 'The catalog of measurements.' },
];

/** Label of the earlier interface, by which its clients know it; it does not follow the program's version. */
const EARLIER_VERSION = '0.0.1';

/**
 * The API for an earlier generation of clients, under its own prefix. It serves the same data and runs in older formats
 * and has its own OpenAPI document.
 */
export const earlierInterface = fastifyPlugin(
  async (app: FastifyInstance, { areas, settings }: { areas: Areas; settings: Settings }) => {
    let document: () => object = () => ({});
    app.decorate('earlierDocument', () => document());
    await app.register(
      async (earlier) => {
        await earlier.register(swagger, {
          decorator: 'earlierSwagger',
          // The library would treat the relative server address below as an absolute one.
          stripBasePath: false,
          openapi: {
            openapi: '3.1.0',
            info: {
              title: 'Calibration API',
              version: EARLIER_VERSION,
              description: 'The earlier interface of Calibron, for clients that support no other.',
              license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
            },
            servers: serversOf(settings.PUBLIC_URL, '../'),
            tags,
            components: {
              securitySchemes: {
                username: { type: 'apiKey', in: 'header', name: 'X-Username' },
                bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
              },
            },
          },
          transform: describedRoute,
          transformObject: describedDocument,
        });
        document = () => earlier.earlierSwagger();
        const identity = createIdentity(earlier, areas.accounts.users, settings.LEGACY_AUTH);
        const options = { ...areas, settings, identity };
        await earlier.register(authRoutes, options);
        await earlier.register(settingsRoutes, options);
        await earlier.register(catalogRoutes, options);
        await earlier.register(chipRoutes, options);
        await earlier.register(executionRoutes, options);
        await earlier.register(muxRoutes, options);
        await earlier.register(taskResultRoutes, options);
        await earlier.register(menuRoutes, options);
        await earlier.register(calibrationRoutes, options);
        await earlier.register(scheduleRoutes, options);
        await earlier.register(fileRoutes, options);
        await earlier.register(deviceTopologyRoutes, options);
        let json: string | undefined;
        earlier.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
          // Cached, because making and serializing it blocks the event loop.
          json ??= JSON.stringify(document());
          return reply.type('application/json; charset=utf-8').send(json);
        });
      },
      { prefix: EARLIER_PREFIX },
    );
  },
  { name: 'earlier-interface', dependencies: ['openapi', 'file-access', 'project-scope'] },
);
