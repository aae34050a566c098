import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { dataMediaTypes } from '../../../shared/domain/artifacts/index.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { tokenAnswers } from '../answers.ts';
import { fileAnswers, fileBody } from '../file-answers.ts';
import { sendDataFile, sendZip } from '../named-files.ts';
import { configurationFileRoutes } from './configuration-files.ts';
import { configurationRepositoryRoutes } from './configuration-repository.ts';

const common = { tags: ['files'] };
/** Raw data and archives by path; the configuration directory with its repository. */
export const fileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'artifacts' | 'configuration'>> = async (
  app,
  options,
) => {
  const { artifacts, configuration } = options;

  app.route({
    method: 'GET',
    url: '/files/raw-data',
    compress: false,
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_raw_data',
      summary: 'A file of the calibration data',
      querystring: z.object({ path: z.string().describe('Absolute path of the file, as results name it.') }),
      response: { ...tokenAnswers, ...fileAnswers(Object.values(dataMediaTypes), 'The file.') },
    },
    handler: (request, reply) => sendDataFile({ app, artifacts }, request, reply),
  });

  app.route({
    method: 'GET',
    url: '/files/zip',
    onRequest: app.readsFiles,
    config: { audit: { action: 'files_exported', target: 'path' }, isArchive: true },
    exposeHeadRoute: false,
    schema: {
      ...common,
      operationId: 'get_files_zip',
      summary: 'A file, or all files below a directory, as a ZIP archive of at most 2 GiB',
      querystring: z.object({
        path: z
          .string()
          .min(1)
          .describe(
            'Absolute path below a project in the calibration data, or in the configuration directory.',
          ),
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

  await app.register(configurationFileRoutes, options);
  await app.register(configurationRepositoryRoutes, options);
};
