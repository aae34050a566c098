import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { publicSettings, reloadAnswer } from '../../../shared/domain/configuration/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

/** Settings of the installation, and reloading the configuration in its processes. */
export const configurationRoutes: FastifyPluginAsyncZod<Pick<Areas, 'configuration'>> = async (
  app,
  { configuration },
) => {
  app.route({
    method: 'GET',
    url: '/settings',
    onRequest: app.signedIn,
    schema: {
      tags: ['service'],
      security: bearer,
      operationId: 'get_settings',
      summary: 'Settings of the installation that clients need; none is a secret',
      response: { 200: publicSettings, ...tokenAnswers },
    },
    handler: async () => configuration.publicSettings,
  });

  app.route({
    method: 'POST',
    url: '/admin/config/reload',
    onRequest: app.administrator,
    config: { audit: 'configuration_reloaded' },
    schema: {
      tags: ['administration'],
      security: bearer,
      operationId: 'reload_configuration',
      summary: 'Have every process reread the configuration, if all of it is valid',
      response: { 200: reloadAnswer, ...tokenAnswers, ...bodyAnswers, 400: errorBody },
    },
    handler: async () => ({ cleared: await configuration.reload() }),
  });
};
