import multipart from '@fastify/multipart';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { imageMediaTypes, imagePlaces, uploadedImage } from '../../../shared/domain/images/model.ts';
import { MAX_UPLOAD_BYTES } from '../../../shared/domain/images/rules.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders, tokenAnswers } from '../answers.ts';
import { fileAnswers, sendFile } from '../file-answers.ts';
import { uploadedFile } from '../uploaded-file.ts';

/** Images in the texts of forum and issues. */
export const imageRoutes: FastifyPluginAsyncZod<Pick<Areas, 'images'>> = async (app, options) => {
  const { images } = options;
  await app.register(uploadRoutes, options);

  for (const place of imagePlaces) {
    // Texts contain addresses under `/api`, the path at which clients see the API. Some clients request them unchanged.
    for (const prefix of ['', '/api']) {
      app.route({
        method: 'GET',
        url: `${prefix}/${place}/images/:filename`,
        compress: false,
        onRequest: app.readsFiles,
        schema: {
          tags: [place],
          hide: prefix !== '',
          operationId: `get_${place}_image`,
          summary: 'An image that a text shows',
          params: z.object({ filename: z.string() }),
          response: {
            ...tokenAnswers,
            ...fileAnswers(Object.values(imageMediaTypes), 'The image.'),
            400: errorBody,
          },
        },
        handler: async (request, reply) => {
          const path = await images.pathOf(place, request.params.filename);
          await app.checkDataAccess(request, path);
          void reply.header('content-security-policy', "default-src 'none'; sandbox");
          return sendFile(request, reply, await images.open(path));
        },
      });
    }
  }
};

/** Registered separately, because only these routes accept a form with a file. */
const uploadRoutes: FastifyPluginAsyncZod<Pick<Areas, 'images'>> = async (app, { images }) => {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { fileSize: MAX_UPLOAD_BYTES, files: 1, fields: 10, parts: 11 },
  });

  for (const place of imagePlaces) {
    app.route({
      method: 'POST',
      url: `/${place}/upload-image`,
      onRequest: app.inProject('read'),
      config: { audit: { action: 'image_uploaded', target: 'url' } },
      schema: {
        tags: [place],
        security: bearer,
        headers: projectHeaders,
        operationId: `upload_${place}_image`,
        summary:
          'Upload an image for a text: PNG, JPEG, GIF or WebP, at most 5 MiB, as the form field `file`',
        consumes: ['multipart/form-data'],
        body: z.object({ file: z.string().meta({ format: 'binary' }) }),
        response: { 200: uploadedImage, ...projectAnswers, ...bodyAnswers, 409: errorBody },
      },
      // The body schema only documents the form. The handler reads the file as it arrives.
      validatorCompiler: () => (value) => ({ value }),
      handler: async (request) => {
        const owner = { projectId: projectIdOf(request), user: callerOf(request).user };
        const name = await images.keep(owner, place, await uploadedFile(request, 'file'));
        return { url: `/api/${place}/images/${name}` };
      },
    });
  }
};
