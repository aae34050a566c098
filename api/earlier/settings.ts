import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { publicSettings } from '../../shared/domain/configuration/model.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { tokenAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userHeaders } from './answers.ts';

const {
  api_cors_origins: _origins,
  docdb_name: _name,
  timezone: _timezone,
  ...shared
} = publicSettings.shape;

/** Placeholder for a secret, whether it is set or not. */
const placeholder = (name: string) => z.literal(`<${name}>`).default(`<${name}>`);

const earlierSettings = z.object({
  ...shared,
  backend: z.string(),
  qpu_data_path: z.string().describe('Directory of the configuration.'),
  agent_max_steps: z.number().int().default(10),
  llm_model: z.string().default('gpt-4o-mini'),
  chat_bot_token: placeholder('CHAT_BOT_TOKEN'),
  chat_app_token: placeholder('CHAT_APP_TOKEN'),
  llm_api_key: placeholder('LLM_API_KEY'),
});

type Options = Pick<Areas, 'configuration'> & { settings: Settings } & EarlierOptions;

/** Settings of the installation. */
export const settingsRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { configuration, settings, identity } = options;
  app.route({
    method: 'GET',
    url: '/settings',
    onRequest: identity.user('default user'),
    schema: {
      tags: ['settings'],
      security: identity.security,
      operationId: 'get_settings',
      summary: 'Settings of the installation; placeholders stand for secrets',
      headers: userHeaders,
      response: { 200: earlierSettings, ...tokenAnswers },
    },
    handler: async () =>
      earlierSettings.parse({
        ...configuration.publicSettings,
        backend: settings.DEFAULT_BACKEND,
        qpu_data_path: settings.CONFIG_PATH,
      }),
  });
};
