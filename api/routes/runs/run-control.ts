import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { runControlAnswer } from '../../../shared/domain/runs/model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const actions = {
  pause: 'Pause a run: no further measurement starts until it is resumed; those that a worker has taken end',
  resume: 'Resume a paused run',
  stop: 'Stop a run once the measurements that a worker has taken have ended; tasks that did not start are skipped',
} as const;

const entries = { pause: 'run_paused', resume: 'run_resumed', stop: 'run_stopped' } as const;

/** Control of a running run: pause, resume, stop after the current measurements. */
export const runControlRoutes: FastifyPluginAsyncZod<Pick<Areas, 'runs'>> = async (app, { runs }) => {
  for (const action of ['pause', 'resume', 'stop'] as const) {
    app.route({
      method: 'POST',
      url: `/executions/:execution_id/${action}`,
      onRequest: app.inProject('write'),
      config: { audit: entries[action] },
      schema: {
        tags: ['executions'],
        security: bearer,
        headers: projectHeaders,
        operationId: `${action}_execution`,
        summary: actions[action],
        params: z.object({ execution_id: executionIdSchema }),
        response: { 200: runControlAnswer, ...projectAnswers, ...bodyAnswers, 409: errorBody },
      },
      handler: (request) =>
        runs.control[action](
          projectIdOf(request),
          request.params.execution_id,
          callerOf(request).user.username,
        ),
    });
  }
};
