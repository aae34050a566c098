import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { calibrationNote } from '../../shared/domain/calibrations/model.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import { MENU_FLOW } from '../../shared/domain/flows/built-in-rules.ts';
import { menuBody } from '../../shared/domain/menus/model.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bodyAnswers, projectAnswers, startHeaders } from '../routes/answers.ts';
import { runOrderOf } from '../routes/runs/run-order.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

const startedCalibration = z.object({
  flow_run_url: z.string().describe("The run in the engine's user interface."),
  ui_url: z.string().describe('The execution in the client.'),
  qdash_ui_url: z.string(),
});

type Options = Pick<Areas, 'calibrations' | 'runs'> & EarlierOptions;

/** Runs of menus, and the calibration note that programs read afterwards. */
export const calibrationRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { calibrations, runs, identity } = options;
  const common = { tags: ['calibration'], security: identity.security, headers: userProjectHeaders };

  app.route({
    method: 'GET',
    url: '/calibration/note',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_calibration_note',
      summary:
        'The calibrated gates of the chip that was installed last, as programs need them to play pulses',
      response: { 200: calibrationNote, ...projectAnswers },
    },
    handler: (request) => calibrations.note(projectIdOf(request)),
  });

  app.route({
    method: 'POST',
    url: '/calibration',
    onRequest: identity.inProject('write'),
    config: { audit: { action: 'run_started', target: 'name' } },
    schema: {
      ...common,
      headers: startHeaders.extend(userProjectHeaders.shape),
      operationId: 'start_calibration',
      summary: 'Run a menu, which need not be saved',
      body: menuBody,
      response: { 200: startedCalibration, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      const parameters = { menu: request.body };
      const { flow_run_url, service_ui_url, qdash_ui_url } = await runs.startFlow(
        runOrderOf(request),
        MENU_FLOW,
        { parameters },
      );
      return { flow_run_url, ui_url: service_ui_url, qdash_ui_url };
    },
  });
};
