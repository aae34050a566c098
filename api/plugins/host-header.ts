import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';

/** HTTP/1.1 requests must have a Host header (https://www.rfc-editor.org/rfc/rfc9112#section-3.2). */
export const hostHeader = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', async ({ raw }) => {
      if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
        throw new CalibronError('bad_request', 'The request does not name its host; send the header Host.');
      }
    });
  },
  { name: 'host-header', dependencies: ['errors'] },
);
