import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { MeasurementUploads } from '../../shared/domain/measurement-uploads/index.ts';
import type { UploadClaims } from '../../shared/domain/measurement-uploads/model.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The measurement whose token was sent, on routes that require one. */
    upload: UploadClaims | null;
  }
  interface FastifyInstance {
    /** Requires the token of the measurement in the path. Runs before the body is read. */
    ofMeasurement: onRequestAsyncHookHandler;
  }
}

/** Authenticates uploads of a measurement's files by `Authorization: Bearer <upload_token>`. */
export const measurementTokens = fastifyPlugin(
  async (app: FastifyInstance, { uploads }: { uploads: Pick<MeasurementUploads, 'readToken'> }) => {
    app.decorateRequest('upload', null);
    app.decorate('ofMeasurement', async (request: FastifyRequest) => {
      const [, token] = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
      const claims = token === undefined ? null : await uploads.readToken(token);
      const { params } = request;
      const isOfPath =
        typeof params === 'object' &&
        params !== null &&
        'task_id' in params &&
        params.task_id === claims?.task_id;
      if (!claims || !isOfPath) {
        throw new CalibronError(
          'not_authenticated',
          'Send the upload_token of this measurement as Authorization: Bearer <token>.',
        );
      }
      request.upload = claims;
    });
  },
  { name: 'measurement-tokens' },
);
