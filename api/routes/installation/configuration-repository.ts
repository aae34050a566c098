import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  pullAnswer,
  pushAnswer,
  pushRequest,
  repositoryStatus,
} from '../../../shared/domain/configuration/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['files'] };

/** The git repository of the configuration directory. */
export const configurationRepositoryRoutes: FastifyPluginAsyncZod<Pick<Areas, 'configuration'>> = async (
  app,
  { configuration },
) => {
  const { repository } = configuration;

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
