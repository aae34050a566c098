import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { executionEvents } from '../../../shared/domain/runs/event-model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { openEventStream } from '../../events/event-stream.ts';
import { heardUpTo } from '../../events/frames.ts';
import { createRunFeeds } from '../../events/run-feeds.ts';
import { sendEvents } from '../../events/send-events.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';

const { state, progress, task, log, waiting, end } = executionEvents.shape;
/** The data line of an event, distinguished by `type`. It is streamed, so it is never validated. */
const executionEvent: z.ZodType<unknown> = z.discriminatedUnion('type', [
  state.extend({ type: z.literal('state') }).meta({ id: 'ExecutionStateEvent' }),
  progress.extend({ type: z.literal('progress') }).meta({ id: 'ExecutionProgressEvent' }),
  task.extend({ type: z.literal('task') }).meta({ id: 'ExecutionTaskEvent' }),
  log.extend({ type: z.literal('log') }).meta({ id: 'ExecutionLogEvent' }),
  waiting.extend({ type: z.literal('waiting') }).meta({ id: 'ExecutionWaitingEvent' }),
  end.extend({ type: z.literal('end') }).meta({ id: 'ExecutionEndEvent' }),
]);

const description = `Server-sent events with JSON data. On connection: the state of the run, each event sent again when it changes:
\`state\` {status, stage, resumed_at}, \`progress\` {done, failed, skipped, total, stage, estimated_end}, \`waiting\` {for}.
\`estimated_end\` is that of the run if runs of the same request have completed before, otherwise that of the stage. Then every
task that has ended, \`task\` {task_id, task_name, qid, status, message}, in the order in which the ends were stored,
and between them what the flow logged and recorded, \`log\` {index, kind, message, name, value, at}. An event id counts what
was sent: \`<tasks>\`, and \`<tasks>.<entries>\` once the flow has logged. The header Last-Event-ID skips what
it counts. \`end\` {status} is the last event; 204 answers a listener that has received it. The events end too when the token
or the membership does.`;

/** Live events of a run. */
export const executionEventRoutes: FastifyPluginAsyncZod<Pick<Areas, 'executions' | 'runs'>> = async (
  app,
  { executions, runs },
) => {
  const feeds = createRunFeeds(runs.watch);
  app.addHook('preClose', async () => feeds.close());
  app.metrics.watch(
    'calibron_event_listeners',
    'Connections that follow the events of a run.',
    feeds.listening,
  );

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/events',
    onRequest: app.inProject('read'),
    exposeHeadRoute: false,
    schema: {
      tags: ['executions'],
      security: bearer,
      operationId: 'watch_execution',
      summary: 'The events of a run as they happen',
      description,
      headers: projectHeaders.extend({
        'last-event-id': z.string().optional().describe('Id of the last event that was received.'),
      }),
      params: z.object({ execution_id: executionIdSchema }),
      response: {
        200: { description: 'The events.', content: { 'text/event-stream': { schema: executionEvent } } },
        204: z.undefined(),
        ...projectAnswers,
      },
    },
    handler: async (request, reply) => {
      const projectId = projectIdOf(request);
      const { execution_id: executionId } = await executions.find(projectId, request.params.execution_id);
      const run = { projectId, executionId, userId: shareUserId(callerOf(request).user) };
      const heard = heardUpTo(request.headers['last-event-id']);
      const stream = await app.listeners.admit(request, (revoked) =>
        openEventStream(feeds, run, heard, revoked),
      );
      return sendEvents(reply, stream);
    },
  });
};
