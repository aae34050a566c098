import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { eventFrame, heartbeat } from './frames.ts';
import { sendEvents } from './send-events.ts';

/** Milliseconds between two signs of life while a model thinks. */
const HEARTBEAT = 300;

/** What the assistant is about to do, in this order; not every answer has all steps. */
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

/** How a streamed answer is told of while it is made. */
export interface Telling {
  /** Begins a step; of look-ups with which one it is and those that were made before. */
  step(
    step: AnswerStep,
    message: string,
    lookup?: { tool?: string; completed_tools: readonly string[] },
  ): void;
  /** A piece of the answer's text, as it is written. */
  text(piece: string): void;
  /** Any further event. */
  event(name: string, data: object): void;
  /** Ends when nobody listens any more. */
  signal: AbortSignal;
}

/** The answer of routes that stream, for their schemas. */
export const answerStreamSchema = {
  description: `Server-sent events with JSON data: \`status\` {step, stage, message, tool, completed_tools} (stage repeats step; the last two are for look-ups), \`text\` {delta}, then \`result\` with the answer, or
\`error\` {step, detail, code}, after which nothing follows. The JSON of each event has the event's name as \`type\`.`,
  content: { 'text/event-stream': { schema: z.custom<unknown>().meta({ type: 'string' }) } },
};

/**
 * Answers with the events of work that takes a while. The status is 200 even when the work fails: the one `error`
 * event says what is wrong. Nothing is made any more for a client that went away, or whose token or membership ended.
 * @param work returns what the last event tells, `result` unless it is called otherwise
 */
export async function sendAnswerStream(
  app: Pick<FastifyInstance, 'listeners'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  work: (telling: Telling) => Promise<object>,
  lastEvent: 'result' | 'complete' = 'result',
): Promise<FastifyReply> {
  const stream = await app.listeners.admit(request, async (revoked) => {
    const run = async (telling: Telling) => telling.event(lastEvent, await work(telling));
    return streamOf(request, revoked, run);
  });
  return sendEvents(reply, stream);
}

function streamOf(
  request: FastifyRequest,
  revoked: AbortSignal,
  work: (telling: Telling) => Promise<void>,
): PassThrough {
  const stream = new PassThrough();
  const gone = new AbortController();
  let step: AnswerStep = 'init';
  const tell = (name: string, data: object) => {
    if (stream.writable) stream.write(eventFrame(name, data));
  };
  const telling: Telling = {
    step(next, message, lookup) {
      step = next;
      tell('status', { step, stage: step, message, ...lookup });
    },
    text: (delta) => tell('text', { delta }),
    event: tell,
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
      telling.step('init', 'Preparing.');
      await work(telling);
    } catch (thrown) {
      tell('error', { step, ...told(thrown, request) });
    } finally {
      clearInterval(beating);
      stream.end();
    }
  };
  void run();
  return stream;
}

function told(thrown: unknown, request: FastifyRequest): { detail: string; code: string } {
  if (thrown instanceof CalibronError) return { detail: thrown.message, code: thrown.code };
  request.log.error({ err: thrown, request_id: request.id }, 'answer failed');
  return { detail: 'The service failed; the request id names the entry in its log.', code: 'internal' };
}
