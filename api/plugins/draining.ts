import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set `active` when the process has been asked to stop. */
    draining: { active: boolean };
  }
}

/**
 * While the server drains it serves as before, but each answer ends its connection: when the server then closes,
 * no client has sent a request on a connection that closes under it.
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
