import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { uploadedFile, uploadedName } from '../../../shared/domain/measurement-uploads/model.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { taskIdSchema } from '../../../shared/kernel/ids.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

/** Uploads from backends without a shared file system. Registered separately, because these routes accept any body. */
export const measurementUploadRoutes: FastifyPluginAsyncZod<Pick<Areas, 'measurementUploads'>> = async (
  app,
  { measurementUploads },
) => {
  // The total size of a measurement's files is limited when they are stored.
  const bodyLimit = measurementUploads.limit;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { bodyLimit }, (_request, content, done) => done(null, content));

  app.route({
    method: 'PUT',
    url: '/measurements/:task_id/files/:name',
    onRequest: app.ofMeasurement,
    bodyLimit,
    config: { audit: null },
    schema: {
      tags: ['files'],
      security: bearer,
      operationId: 'put_measurement_file',
      summary: 'Upload a data file of a measurement under way, with the upload_token of its request',
      consumes: ['application/octet-stream'],
      params: z.object({ task_id: taskIdSchema, name: uploadedName }),
      response: { 200: uploadedFile, ...tokenAnswers, ...bodyAnswers, 429: errorBody },
    },
    handler: (request) => {
      const { upload, body, params } = request;
      if (!upload) throw new Error('the route does not ask for a token');
      if (!(body instanceof Readable)) throw new CalibronError('bad_request', 'Send the file as the body.');
      return measurementUploads.upload(upload, params.name, body);
    },
  });
};
