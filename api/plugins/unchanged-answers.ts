import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import fresh from 'fresh';

/** Responds with 304 and no body if the request's `If-None-Match` matches the entity tag of the response. */
export const unchangedAnswers = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onSend', async (request, reply, payload: unknown) => {
      if (typeof payload !== 'string' || !isUnchanged(request, reply)) return payload;
      void reply.code(304).removeHeader('content-type').removeHeader('content-length');
      return null;
    });
  },
  { name: 'unchanged-answers' },
);

function isUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const etag = reply.getHeader('etag');
  if (typeof etag !== 'string' || reply.statusCode !== 200) return false;
  return (method === 'GET' || method === 'HEAD') && fresh(headers, { etag });
}
