import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/**
 * Response headers for browsers and proxies: no content sniffing, no caching unless the route allows it, and no framing
 * of our pages.
 */
export const privateAnswers = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onSend', async (_request, reply) => {
      void reply.header('x-content-type-options', 'nosniff');
      if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
      if (!String(reply.getHeader('content-type')).startsWith('text/html')) return;
      void reply.header('x-frame-options', 'DENY');
      const policy = reply.getHeader('content-security-policy');
      if (policy === undefined) void reply.header('content-security-policy', "frame-ancestors 'none'");
    });
  },
  { name: 'private-answers' },
);
