import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { openEventStream } from '../events/event-stream.ts';
import { createRunFeeds } from '../events/run-feeds.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from './answers.ts';

/** Streamed, so never checked. */
const eventText = z.custom<unknown>().meta({ type: 'string' });

const description = `Server-sent events with JSON data. On connection: how the run stands, each told again when it changes:
\`state\` {status, stage, resumed_at}, \`progress\` {done, failed, skipped, total, stage, estimated_end}, \`waiting\` {for}. Then every
task that has ended, \`task\` {task_id, task_name, qid, status, message}, numbered by its id in the order in which the
ends were stored. The header Last-Event-ID leaves out the tasks up to that number. \`end\` {status} is the last event;
204 answers a listener that has had it. The events end too when the token or the membership does.`;

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
        'last-event-id': z.string().optional().describe('Number of the last event that was received.'),
      }),
      params: z.object({ execution_id: z.string() }),
      response: {
        200: { description: 'The events.', content: { 'text/event-stream': { schema: eventText } } },
        204: z.undefined(),
        ...projectAnswers,
      },
    },
    handler: async (request, reply) => {
      const projectId = projectIdOf(request);
      const { execution_id: executionId } = await executions.find(projectId, request.params.execution_id);
      const seen = /^\d{1,9}$/.exec(request.headers['last-event-id'] ?? '');
      const run = { projectId, executionId };
      const stream = await app.listeners.admit(request, (revoked) =>
        openEventStream(feeds, run, Number(seen?.[0] ?? 0), revoked),
      );
      if (!stream) return reply.code(204).send();
      return reply
        .headers({
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // Proxies of the nginx family hold answers back otherwise.
          'x-accel-buffering': 'no',
        })
        .send(stream);
    },
  });
};
