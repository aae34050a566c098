import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { findServedFile, type ServedFile } from '../../shared/files/paths.ts';
import { errorBody } from '../../shared/wire.ts';
import { publicAnswers } from './answers.ts';

const query = z.object({ path: z.string().describe('Absolute path of the file, as results name it.') });

/** A file as OpenAPI describes it; it is streamed, never checked. */
const file = z.custom<unknown>().meta({ type: 'string', format: 'binary' });

const answers = { ...publicAnswers, 304: z.undefined(), 401: errorBody, 403: errorBody, 404: errorBody };

/** Files of executions: readable without a token, confined to the root of the calibration data. */
export const artifactRoutes: FastifyPluginAsyncZod<{ root: string }> = async (app, { root }) => {
  app.route({
    method: 'GET',
    url: '/executions/figure',
    onRequest: app.tokenIfPresent,
    schema: {
      operationId: 'get_figure',
      summary: 'A figure as PNG',
      tags: ['executions'],
      querystring: query,
      response: {
        200: { description: 'The figure.', content: { 'image/png': { schema: file } } },
        ...answers,
      },
    },
    handler: async (request, reply) => {
      const figure = await findServedFile(root, request.query.path, ['.png']);
      return sendFile(request, reply, figure);
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/artifact',
    onRequest: app.tokenIfPresent,
    schema: {
      operationId: 'get_artifact',
      summary: 'A figure description (JSON) or raw data (NetCDF), as a download',
      tags: ['executions'],
      querystring: query,
      response: {
        200: { description: 'The file.', content: { 'application/octet-stream': { schema: file } } },
        ...answers,
      },
    },
    handler: async (request, reply) => {
      const artifact = await findServedFile(root, request.query.path);
      const name = encodeURIComponent(artifact.name);
      void reply.header('content-disposition', `attachment; filename="${name}"; filename*=UTF-8''${name}`);
      return sendFile(request, reply, artifact);
    },
  });
};

/** Sends a file, or says that the caller's copy is still right. */
function sendFile(request: FastifyRequest, reply: FastifyReply, found: ServedFile): FastifyReply {
  void reply.header('etag', found.etag).header('cache-control', 'private, no-cache');
  const known = request.headers['if-none-match']?.split(',').map((etag) => etag.trim().replace(/^W\//, ''));
  if (known?.includes(found.etag) || known?.includes('*')) return reply.code(304).send();
  return reply
    .header('content-length', found.size)
    .header('x-content-type-options', 'nosniff')
    .type(found.mediaType)
    .send(found.content());
}
