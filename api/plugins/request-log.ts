import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

/**
 * Logs one line per request: reads at debug, changes and rejections at info, failures of the service
 * at warn (the failure itself has already been logged as an error). Addresses appear as route
 * patterns, so that no id or path from a client gets into the log.
 */
export const requestLog = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onResponse', async (request, reply) => {
      const line = {
        request_id: request.id,
        user_id: request.caller?.user._id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      };
      if (reply.statusCode >= 500) request.log.warn(line, 'request');
      else if (reply.statusCode >= 400 || request.method !== 'GET') request.log.info(line, 'request');
      else request.log.debug(line, 'request');
    });
  },
  { name: 'request-log' },
);
