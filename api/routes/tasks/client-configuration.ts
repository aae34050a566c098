import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { taskFileSettings } from '../../../shared/domain/backends/model.ts';
import { shownCopilot, shownCopilotOf } from '../../../shared/domain/language-models/wire.ts';
import { metricsFileContent } from '../../../shared/domain/metrics/model.ts';
import { bearer, tokenAnswers } from '../answers.ts';
import { createTaskListing } from './task-listing.ts';

const clientConfiguration = z.object({
  ui: z.object({ task_files: taskFileSettings }),
  metrics: metricsFileContent,
  copilot: shownCopilot,
});

const common = { tags: ['tasks'], security: bearer };

/** The configuration of clients. */
export const clientConfigurationRoutes: FastifyPluginAsyncZod<
  Pick<Areas, 'backends' | 'languageModels' | 'metrics' | 'projects'>
> = async (app, areas) => {
  const { languageModels, metrics } = areas;
  const { listingFor } = createTaskListing(areas);

  app.route({
    method: 'GET',
    url: '/config/all',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_client_configuration',
      summary: 'What clients need of the configuration, in one answer; nothing secret',
      response: { 200: clientConfiguration, ...tokenAnswers },
    },
    handler: async (request) => ({
      ui: { task_files: (await listingFor(request)).settings() },
      metrics: await metrics.config(),
      copilot: shownCopilotOf(await languageModels.config()),
    }),
  });
};
