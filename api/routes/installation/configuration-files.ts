import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  fileContent,
  treeEntry,
  validateAnswer,
  validateRequest,
  writeAnswer,
  writeRequest,
} from '../../../shared/domain/configuration/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['files'] };
const inConfiguration = z.object({
  path: z.string().describe('Path within the configuration directory, as GET /files/tree shows it.'),
});

/** The files of the configuration directory. */
export const configurationFileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'configuration'>> = async (
  app,
  { configuration },
) => {
  const { files } = configuration;

  app.route({
    method: 'GET',
    url: '/files/tree',
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_configuration_tree',
      summary: 'All files of the configuration but those of other projects, directories first',
      response: { 200: z.array(treeEntry), ...tokenAnswers, 413: errorBody },
    },
    handler: async (request) => files.tree(await app.shownConfiguration(request)),
  });

  app.route({
    method: 'GET',
    url: '/files/content',
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_configuration_file',
      summary: 'A text file of the configuration',
      querystring: inConfiguration,
      response: { 200: fileContent, ...tokenAnswers, 400: errorBody, 404: errorBody, 413: errorBody },
    },
    handler: async (request) => {
      const { path } = request.query;
      await app.checkConfigurationAccess(request, path);
      return files.read(path);
    },
  });

  app.route({
    method: 'PUT',
    url: '/files/content',
    onRequest: app.changesConfiguration,
    config: { audit: { action: 'configuration_written', target: 'path' } },
    schema: {
      ...common,
      security: bearer,
      operationId: 'put_configuration_file',
      summary: 'Write a YAML or JSON file of the configuration atomically',
      body: writeRequest,
      response: { 200: writeAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody, 409: errorBody },
    },
    handler: async (request) => {
      const { path, content } = request.body;
      await app.checkConfigurationChange(request, path);
      await files.write(path, content, askerOf(request));
      return { message: 'The file was written.', path };
    },
  });

  app.route({
    method: 'DELETE',
    url: '/files/content',
    onRequest: app.changesConfiguration,
    config: { audit: { action: 'configuration_removed', target: 'path' } },
    schema: {
      ...common,
      security: bearer,
      operationId: 'delete_configuration_file',
      summary: 'Remove a file of the configuration, or a directory with all that is in it',
      querystring: inConfiguration,
      response: { 200: writeAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody, 404: errorBody },
    },
    handler: async (request) => {
      const { path } = request.query;
      await app.checkConfigurationChange(request, path);
      await files.remove(path);
      return { message: 'It was removed.', path };
    },
  });

  app.route({
    method: 'POST',
    url: '/files/validate',
    onRequest: app.readsFiles,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'validate_configuration_text',
      summary: 'Whether a text is valid YAML or JSON',
      body: validateRequest,
      response: { 200: validateAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody, 429: errorBody },
    },
    handler: (request) => files.validate(request.body.content, request.body.file_type, askerOf(request)),
  });
};
