import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** `active` is set when the process has been asked to stop. */
    draining: { active: boolean };
  }
}

/**
 * A draining server still serves requests, but each response closes its connection. When the server then shuts down,
 * no client has a pending request on a connection being closed.
 */
export const draining = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.decorate('draining', { active: false });
    app.addHook('onSend', async (_request, reply) => {
      if (app.draining.active) void reply.header('connection', 'close');
    });
  },
  { name: 'draining' },
);
