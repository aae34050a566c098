import { Transform } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { answerUnknown } from './errors.ts';

/** Maximum size in bytes of a body that is sent without a valid token. */
const ANONYMOUS_BODY_BYTES = 64 * 1024;

/**
 * Reads a body only if the route exists, and a large one only from an authenticated caller, because reading costs
 * time and memory of the process.
 */
export const bodyAccess = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.is404) return answerUnknown(app, request, reply);
    });
    app.addHook('preParsing', async (request, _reply, body) => {
      if (request.caller || request.upload) return body;
      const { 'content-length': length, 'transfer-encoding': pieces } = request.headers;
      if (Number(length ?? 0) > ANONYMOUS_BODY_BYTES) throw tooLarge();
      // A chunked body does not declare its length.
      return pieces === undefined ? body : body.pipe(atMost(ANONYMOUS_BODY_BYTES));
    });
  },
  { name: 'body-access', dependencies: ['authentication', 'errors', 'limits'] },
);

/** Passes bytes through, and fails once the limit is exceeded. */
function atMost(bytes: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > bytes) done(tooLarge());
      else done(null, chunk);
    },
  });
}

function tooLarge(): CalibronError {
  return new CalibronError(
    'too_large',
    `Without an access token a body has at most ${ANONYMOUS_BODY_BYTES / 1024} KiB. Log in to send more.`,
  );
}
