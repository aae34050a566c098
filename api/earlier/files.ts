import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { dataMediaTypes } from '../../shared/domain/artifacts/index.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import { tokenAnswers } from '../routes/answers.ts';
import { fileAnswers, fileBody } from '../routes/file-answers.ts';
import { sendDataFile, sendFigure, sendZip } from '../routes/named-files.ts';

const dataPath = z.object({ path: z.string().describe('Absolute path of the file, as results name it.') });

/** Files by path, with the same confinement and access checks as in the current interface. */
export const fileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'artifacts' | 'configuration'>> = async (
  app,
  { artifacts, configuration },
) => {
  app.route({
    method: 'GET',
    url: '/executions/figure',
    compress: false,
    onRequest: app.readsFiles,
    schema: {
      tags: ['executions'],
      operationId: 'get_figure',
      summary: 'A figure as PNG',
      querystring: dataPath,
      response: { ...tokenAnswers, ...fileAnswers(['image/png'], 'The figure.') },
    },
    handler: (request, reply) => sendFigure({ app, artifacts }, request, reply),
  });

  app.route({
    method: 'GET',
    url: '/file/raw_data',
    compress: false,
    onRequest: app.readsFiles,
    schema: {
      tags: ['file'],
      operationId: 'get_raw_data',
      summary: 'A file of the calibration data',
      querystring: dataPath,
      response: { ...tokenAnswers, ...fileAnswers(Object.values(dataMediaTypes), 'The file.') },
    },
    handler: (request, reply) => sendDataFile({ app, artifacts }, request, reply),
  });

  app.route({
    method: 'GET',
    url: '/file/zip',
    onRequest: app.readsFiles,
    config: { audit: { action: 'files_exported', target: 'path' } },
    exposeHeadRoute: false,
    schema: {
      tags: ['file'],
      operationId: 'get_zip',
      summary: 'A file, or all files below a directory, as a ZIP archive of at most 2 GiB',
      querystring: z.object({
        path: z.string().min(1).describe('In the calibration data, or in the configuration.'),
      }),
      response: {
        200: { description: 'The archive.', content: { 'application/zip': { schema: fileBody } } },
        ...tokenAnswers,
        400: errorBody,
        404: errorBody,
        413: errorBody,
      },
    },
    handler: (request, reply) => sendZip({ app, artifacts, configuration }, request, reply),
  });
};
