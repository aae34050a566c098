import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { dataMediaTypes } from '../../../shared/domain/artifacts/index.ts';
import {
  fileContent,
  pullAnswer,
  pushAnswer,
  pushRequest,
  repositoryStatus,
  treeEntry,
  validateAnswer,
  validateRequest,
  writeAnswer,
  writeRequest,
} from '../../../shared/domain/configuration/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';
import { fileAnswers, fileBody } from '../file-answers.ts';
import { sendDataFile, sendZip } from '../named-files.ts';

const common = { tags: ['files'] };
const inConfiguration = z.object({
  path: z.string().describe('Path within the configuration directory, as GET /files/tree shows it.'),
});

/** Raw data and archives by path; the configuration directory with its repository. */
export const fileRoutes: FastifyPluginAsyncZod<Pick<Areas, 'artifacts' | 'configuration'>> = async (
  app,
  { artifacts, configuration },
) => {
  const { files, repository } = configuration;

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

  app.route({
    method: 'GET',
    url: '/files/git/status',
    onRequest: app.readsFiles,
    schema: {
      ...common,
      operationId: 'get_configuration_repository',
      summary: 'What changed in the configuration since it was pulled; asks the remote at most once a minute',
      response: { 200: repositoryStatus, ...tokenAnswers },
    },
    handler: async (request) => {
      const [status, isShown] = await Promise.all([repository.status(), app.shownConfiguration(request)]);
      if (!status.is_git_repo) return status;
      const { changed_files, untracked_files } = status;
      return {
        ...status,
        changed_files: changed_files.filter(isShown),
        untracked_files: untracked_files.filter(isShown),
      };
    },
  });

  app.route({
    method: 'POST',
    url: '/files/git/pull',
    onRequest: app.changesConfiguration,
    config: { audit: { action: 'configuration_pulled', details: ['commit'] } },
    schema: {
      ...common,
      security: bearer,
      operationId: 'pull_configuration',
      summary: 'Pull the newest commits; refused if local changes would be lost',
      response: { 200: pullAnswer, ...tokenAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: () => repository.pull(),
  });

  app.route({
    method: 'POST',
    url: '/files/git/push',
    onRequest: app.changesConfiguration,
    config: { audit: { action: 'configuration_pushed', details: ['commit', 'commit_message'] } },
    schema: {
      ...common,
      security: bearer,
      operationId: 'push_configuration',
      summary: 'Commit all changes and push them; refused if the remote has newer commits',
      body: pushRequest,
      response: { 200: pushAnswer, ...tokenAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => repository.push(request.body.commit_message, callerOf(request).user),
  });
};
