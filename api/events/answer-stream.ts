import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errorCode } from '../../shared/domain/errors.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { eventFrame, heartbeat } from './frames.ts';
import { sendEvents } from './send-events.ts';

/** Milliseconds between two heartbeats while a model is working. */
const HEARTBEAT = 300;

/** Steps of the assistant, in order. Not every answer has all of them. */
const answerSteps = [
  'init',
  'load_forum',
  'load_issue',
  'build_history',
  'load_context',
  'run_chat',
  'tool_call',
  'thinking',
  'save_reply',
  'complete',
] as const;
export type AnswerStep = (typeof answerSteps)[number];

/** Reports the progress of a streamed answer. */
export interface Progress {
  /** Starts a step. For look-ups, includes the current one and those already completed. */
  step(
    step: AnswerStep,
    message: string,
    lookup?: { tool?: string; completed_tools: readonly string[] },
  ): void;
  /** Sends a piece of the answer's text as it is generated. */
  text(piece: string): void;
  /** Sends any other event. */
  event(name: string, data: object): void;
  /** Aborts when the client disconnects or loses access. */
  signal: AbortSignal;
}

const statusEvent = z
  .object({
    type: z.literal('status'),
    step: z.enum(answerSteps),
    stage: z.enum(answerSteps).describe('Repeats `step`.'),
    message: z.string(),
    tool: z.string().optional().describe('The look-up that begins.'),
    completed_tools: z.array(z.string()).optional().describe('The look-ups that have ended.'),
  })
  .meta({ id: 'AnswerStatusEvent' });
const textEvent = z
  .object({ type: z.literal('text'), delta: z.string().describe('The next piece of the text.') })
  .meta({ id: 'AnswerTextEvent' });
const errorEvent = z
  .object({
    type: z.literal('error'),
    step: z.enum(answerSteps),
    detail: z.string(),
    code: errorCode,
  })
  .meta({ id: 'AnswerErrorEvent' });

/**
 * Response schema of streaming routes.
 * @param last the event that ends a successful answer, and `others` those of this route alone; each has its `type`
 */
export function answerStream(last: z.ZodObject, others: readonly z.ZodObject[] = []) {
  // Typed as unknown, because handlers return the reply.
  const schema: z.ZodType<unknown> = z.union([statusEvent, textEvent, errorEvent, ...others, last]);
  return {
    description:
      'Server-sent events, each with JSON data as described and with its `type` as the name of the event. `status` names the steps, `text` carries the answer as it grows; the last event is the answer, or `error`, after which nothing follows.',
    content: { 'text/event-stream': { schema } },
  };
}

/**
 * Responds with a stream of the events of long-running work. The status is 200 even if the work fails: a single `error`
 * event reports the failure. The work is aborted if the client disconnects, or if its token or membership ends.
 * @param work returns the data of the last event, whose name is `result` by default
 */
export async function sendAnswerStream(
  app: Pick<FastifyInstance, 'listeners'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  work: (progress: Progress) => Promise<object>,
  lastEvent: 'result' | 'complete' = 'result',
): Promise<FastifyReply> {
  const stream = await app.listeners.admit(request, async (revoked) => {
    const run = async (progress: Progress) => progress.event(lastEvent, await work(progress));
    return streamOf(request, revoked, run);
  });
  return sendEvents(reply, stream);
}

function streamOf(
  request: FastifyRequest,
  revoked: AbortSignal,
  work: (progress: Progress) => Promise<void>,
): PassThrough {
  const stream = new PassThrough();
  const gone = new AbortController();
  let step: AnswerStep = 'init';
  const send = (name: string, data: object) => {
    if (stream.writable) stream.write(eventFrame(name, data));
  };
  const progress: Progress = {
    step(next, message, lookup) {
      step = next;
      send('status', { step, stage: step, message, ...lookup });
    },
    text: (delta) => send('text', { delta }),
    event: send,
    signal: AbortSignal.any([gone.signal, revoked]),
  };
  const beating = setInterval(() => {
    if (stream.writable && !stream.writableNeedDrain) stream.write(heartbeat);
  }, HEARTBEAT);
  const leave = () => stream.end();
  revoked.addEventListener('abort', leave);
  stream.once('close', () => {
    clearInterval(beating);
    revoked.removeEventListener('abort', leave);
    gone.abort();
  });
  const run = async () => {
    try {
      progress.step('init', 'Preparing.');
      await work(progress);
    } catch (thrown) {
      send('error', { step, ...errorDataOf(thrown, request) });
    } finally {
      clearInterval(beating);
      stream.end();
    }
  };
  void run();
  return stream;
}

function errorDataOf(thrown: unknown, request: FastifyRequest): { detail: string; code: string } {
  if (thrown instanceof CalibronError) return { detail: thrown.message, code: thrown.code };
  request.log.error({ err: thrown, request_id: request.id }, 'answer failed');
  return { detail: 'The service failed; the request id names the entry in its log.', code: 'internal' };
}
