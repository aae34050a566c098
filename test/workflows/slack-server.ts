import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';

/** Arguments of a call as the Web API takes them, in a form. */
export type SlackCall = Readonly<Record<string, string>>;

/** A message that the server keeps. */
export interface SlackMessage {
  ts: string;
  channel: string;
  text: string;
  thread_ts: string | null;
  attachments: {
    text: string;
    color?: string | undefined;
    fields?: { title: string; value: string }[] | undefined;
  }[];
}

/** What the next call is answered with instead of being carried out. */
export type SlackFault =
  | { kind: 'rate_limited'; retryAfter: number }
  | { kind: 'status'; status: number }
  | { kind: 'error'; error: string }
  /** The message is kept, and the connection ends without an answer. */
  | { kind: 'cut_off' };

const attachments = z.array(
  z.object({
    text: z.string(),
    color: z.string().optional(),
    fields: z.array(z.object({ title: z.string(), value: z.string() })).optional(),
  }),
);

export type SlackServer = Awaited<ReturnType<typeof startSlackServer>>;

/**
 * Speaks `chat.postMessage` of Slack's Web API: bearer tokens, forms, errors with status 200, 429 with Retry-After, and
 * one message for each client_msg_id.
 */
export async function startSlackServer(token: string) {
  const messages: SlackMessage[] = [];
  const byClientId = new Map<string, SlackMessage>();
  const faults: SlackFault[] = [];
  const calls: SlackCall[] = [];

  function post(call: SlackCall): SlackMessage {
    const id = call['client_msg_id'] ?? '';
    const known = byClientId.get(id);
    if (known) return known;
    const message: SlackMessage = {
      ts: `1700000000.${String(messages.length + 1).padStart(6, '0')}`,
      channel: call['channel'] ?? '',
      text: call['text'] ?? '',
      thread_ts: call['thread_ts'] ?? null,
      attachments: attachments.parse(JSON.parse(call['attachments'] ?? '[]')),
    };
    messages.push(message);
    byClientId.set(id, message);
    return message;
  }

  const server = createServer(async (request, response) => {
    const call = Object.fromEntries(new URLSearchParams(await textOf(request)));
    calls.push(call);
    const answer = (status: number, body: object, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    if (request.url !== '/api/chat.postMessage') return answer(200, { ok: false, error: 'unknown_method' });
    if (request.headers.authorization !== `Bearer ${token}`) {
      return answer(200, { ok: false, error: 'invalid_auth' });
    }
    const fault = faults.shift();
    switch (fault?.kind) {
      case 'rate_limited':
        return answer(429, { ok: false, error: 'ratelimited' }, { 'retry-after': String(fault.retryAfter) });
      case 'status':
        return answer(fault.status, {});
      case 'error':
        return answer(200, { ok: false, error: fault.error });
      case 'cut_off':
        post(call);
        return request.socket.destroy();
      case undefined: {
        const { ts, channel } = post(call);
        return answer(200, { ok: true, ts, channel, message: { text: call['text'] } });
      }
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  return {
    url: `http://127.0.0.1:${address.port}/api/`,
    /** Messages in the order in which they came. */
    messages,
    /** Every call, those that were not carried out too. */
    calls,
    /** What the next calls are answered with, one each. */
    faults,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
