import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { dataMediaTypes, type NamedFile } from '../../../shared/domain/artifacts/index.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { zipOf } from '../../../shared/kernel/files/archive.ts';
import { noSuchFile } from '../../../shared/kernel/files/paths.ts';
import { repeated } from '../../../shared/kernel/wire.ts';
import { artifactPreview } from '../../../shared/science/previews/model.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { tokenAnswers } from '../answers.ts';
import { fileAnswers, fileBody, sendArchive, sendFile } from '../file-answers.ts';
import { sendDarkFigure, sendFigure } from '../named-files.ts';

const query = z.object({ path: z.string().describe('Absolute path of the file, as results name it.') });
const common = { tags: ['executions'] };

/** Files of executions. Access is confined to the project directories in the root of the calibration data. */
export const artifactRoutes: FastifyPluginAsyncZod<Pick<Areas, 'artifacts'>> = async (app, { artifacts }) => {
  app.route({
    method: 'GET',
    url: '/executions/figure',
    compress: false,
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_figure',
      summary: 'A figure as PNG',
      querystring: query.extend({
        theme: z
          .enum(['light', 'dark'])
          .default('light')
          .describe(
            'Theme of the page that shows it; for a dark page the figure is redrawn from its description.',
          ),
      }),
      response: {
        ...tokenAnswers,
        ...fileAnswers(['image/png'], 'The figure.'),
        429: errorBody,
      },
    },
    handler: (request, reply) => {
      const send = request.query.theme === 'dark' ? sendDarkFigure : sendFigure;
      return send({ app, artifacts }, request, reply);
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/artifact',
    compress: false,
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_artifact',
      summary: 'A figure description (JSON) or raw data (NetCDF), as a download',
      querystring: query,
      response: { ...tokenAnswers, ...fileAnswers(Object.values(dataMediaTypes), 'The file.') },
    },
    handler: async (request, reply) => {
      const { path } = request.query;
      const project = await app.checkDataAccess(request, path);
      return sendFile(
        request,
        reply,
        await artifacts.open(path, { project, asker: askerOf(request) }),
        'attachment',
      );
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/artifacts/archive',
    onRequest: app.readsFiles,
    config: { audit: { action: 'files_exported', target: 'paths' }, isArchive: true },
    exposeHeadRoute: false,
    schema: {
      ...common,
      operationId: 'get_artifact_archive',
      summary: 'Several files in one ZIP archive; repeated names get _2, _3, …',
      querystring: z.object({ paths: repeated(z.string()).pipe(z.array(z.string()).min(1).max(100)) }),
      response: {
        200: { description: 'The archive.', content: { 'application/zip': { schema: fileBody } } },
        ...tokenAnswers,
        404: errorBody,
        413: errorBody,
      },
    },
    handler: async (request, reply) => {
      const files: NamedFile[] = [];
      for (const path of request.query.paths) {
        files.push({ path, project: await app.checkDataAccess(request, path) });
      }
      const { entries, missing } = await artifacts.bundle(files, askerOf(request));
      if (missing.length > 0) throw noSuchFile();
      return sendArchive(reply, zipOf(entries), 'artifacts.zip');
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/artifact/preview',
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'preview_artifact',
      summary: 'The first rows of a NetCDF file of at most 64 MiB',
      querystring: query,
      response: {
        200: artifactPreview,
        ...tokenAnswers,
        400: errorBody,
        404: errorBody,
        413: errorBody,
        429: errorBody,
      },
    },
    handler: async (request) => {
      const { path } = request.query;
      const project = await app.checkDataAccess(request, path);
      return artifacts.preview({ path, project }, askerOf(request));
    },
  });
};
