import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const chatRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  temperature: z.number().optional(),
  response_format: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** How the server behaves to one request. */
export type Behaviour =
  | { text: string }
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Begins an answer and closes the connection. */
  | 'cut'
  /** Begins an answer as if it went on, and never does. */
  | 'silent';

/** A server that speaks the protocol of OpenAI's chat completions, on this machine. */
export async function startModelServer() {
  const asked: { headers: IncomingMessage['headers']; body: ChatRequest }[] = [];
  const behaviours: Behaviour[] = [];
  let usual: Behaviour | ((request: ChatRequest) => Behaviour) = { text: 'an answer' };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(z.instanceof(Buffer).parse(chunk));
    const body = chatRequest.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    asked.push({ headers: request.headers, body });
    const behaviour = behaviours.shift() ?? (typeof usual === 'function' ? usual(body) : usual);
    if (behaviour === 'silent') return;
    if (behaviour === 'cut') return cutOff(body, response);
    if ('status' in behaviour) {
      response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
      response.end(behaviour.body ?? '{"error":{"message":"no"}}');
      return;
    }
    if (body.stream) streamText(body, behaviour.text, response);
    else sendText(body, behaviour.text, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await listen(server);
  const { port } = z.custom<AddressInfo>().parse(server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** What it was asked, oldest first. */
    asked,
    /** How it behaves to the next requests, one each. */
    next: (...given: Behaviour[]) => behaviours.push(...given),
    /** How it behaves to all others. */
    always: (behaviour: typeof usual) => {
      usual = behaviour;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** All texts of a request, as one. */
export function textOf(request: ChatRequest | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

function chunk(body: ChatRequest, delta: object, finish: string | null = null) {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return frame({ id: 'c', object: 'chat.completion.chunk', created: 1, model: body.model, choices });
}

function sendText(body: ChatRequest, text: string, response: ServerResponse): void {
  const message = { role: 'assistant', content: text };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: body.model, choices, usage }),
  );
}

function streamText(body: ChatRequest, text: string, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const word of text.split(/(?<= )/)) response.write(chunk(body, { content: word }));
  response.write(chunk(body, {}, 'stop'));
  response.write(frame({ id: 'c', created: 1, model: body.model, choices: [], usage }));
  response.end('data: [DONE]\n\n');
}

function cutOff(body: ChatRequest, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': body.stream ? 'text/event-stream' : 'application/json',
    'content-length': '1000000',
  });
  response.write(body.stream ? chunk(body, { content: 'half' }) : '{"id":"c"', () => response.destroy());
}
