import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type InstallationState, wrongInstallation } from '../../shared/kernel/installation/installation.ts';

/** Addresses that need neither store nor engine, or report on them. */
const ALWAYS_SERVED = /^\/(?:healthz|readyz|metrics-prometheus|openapi\.json|docs)(?:[/?]|$)/;

/** Refuses requests while store and engine belong to different installations. */
export const foreignInstallation = fastifyPlugin(
  async (app: FastifyInstance, { installation }: { installation: InstallationState }) => {
    app.addHook('onRequest', async (request) => {
      if (ALWAYS_SERVED.test(request.url)) return;
      await installation.settled();
      if (installation.problem !== null) throw wrongInstallation(installation.problem);
    });
  },
  { name: 'foreign-installation', dependencies: ['errors'] },
);
