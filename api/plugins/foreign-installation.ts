import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { type InstallationState, wrongInstallation } from '../../shared/kernel/installation/installation.ts';

/** Addresses that need neither store nor engine, or that report their state. */
const ALWAYS_SERVED = /^\/(?:(?:healthz|readyz|metrics-prometheus|openapi\.json|docs)(?:[/?]|$)|\?|$)/;

/** Rejects requests while store and engine belong to different installations. */
export const foreignInstallation = fastifyPlugin(
  async (app: FastifyInstance, { installation }: { installation: InstallationState }) => {
    async function refuse(request: FastifyRequest): Promise<void> {
      if (ALWAYS_SERVED.test(request.url)) return;
      await installation.settled();
      if (installation.problem !== null) throw wrongInstallation(installation.problem);
    }

    app.addHook('onRequest', refuse);
    // The driver retries a read that loses its connection, and the retry may reach another store.
    app.addHook('preHandler', refuse);
    app.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode < 500) await refuse(request);
      return payload;
    });
  },
  { name: 'foreign-installation', dependencies: ['errors'] },
);
