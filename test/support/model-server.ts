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
  tools: z.array(z.unknown()).optional(),
  tool_choice: z.unknown().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
export type ChatRequest = z.infer<typeof chatRequest>;

/** The text of a model's answer, and the tools it calls. */
export interface Said {
  text?: string;
  calls?: readonly { name: string; input: unknown }[];
}

/** How the server behaves to one request. */
export type Behaviour =
  | Said
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Begins an answer and closes the connection. */
  | 'cut'
  /** Begins an answer as if it went on, and never does. */
  | 'silent';

/** How requests and answers of a kind of server look. */
export interface Protocol<Body> {
  /** Where questions go, behind the address of the server. */
  path: string;
  read(body: unknown): Body;
  /** An answer in one piece, as JSON. */
  whole(body: Body, said: Said): unknown;
  /** The same as frames of server-sent events. */
  frames(body: Body, said: Said): string[];
  /** The body of a refusal. */
  refusal(status: number): unknown;
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const frame = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const called = ({ calls = [] }: Said) =>
  calls.map(({ name, input }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));

function chunk({ model }: ChatRequest, delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return frame({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices });
}

/** OpenAI's chat completions, which Ollama and others speak too. */
export const chatCompletions: Protocol<ChatRequest> = {
  path: '/chat/completions',
  read: (body) => chatRequest.parse(body),
  whole({ model }, said) {
    const calls = called(said);
    const message = {
      role: 'assistant',
      content: said.text ?? null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }];
    return { id: 'c', object: 'chat.completion', created: 1, model, choices, usage };
  },
  frames(body, said) {
    const calls = called(said);
    return [
      ...wordsOf(said).map((content) => chunk(body, { content })),
      ...calls.map((call) => chunk(body, { tool_calls: [call] })),
      chunk(body, {}, calls.length > 0 ? 'tool_calls' : 'stop'),
      frame({ id: 'c', created: 1, model: body.model, choices: [], usage }),
      'data: [DONE]\n\n',
    ];
  },
  refusal: () => ({ error: { message: 'no' } }),
};

/** The words of a text, each with the space behind it. */
export function wordsOf({ text = '' }: Said): string[] {
  return text === '' ? [] : text.split(/(?<= )/);
}

/** A server on this machine that speaks OpenAI's chat completions. */
export const startModelServer = () => startServerOf(chatCompletions);

/** A server on this machine that speaks one of the protocols of language models. */
export async function startServerOf<Body extends { stream?: boolean | undefined }>(protocol: Protocol<Body>) {
  const asked: { headers: IncomingMessage['headers']; body: Body }[] = [];
  const behaviours: Behaviour[] = [];
  let usual: Behaviour | ((request: Body) => Behaviour) = { text: 'an answer' };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const each of request) chunks.push(z.instanceof(Buffer).parse(each));
    if (request.url !== `/v1${protocol.path}`) {
      response.writeHead(404).end();
      return;
    }
    const body = protocol.read(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    asked.push({ headers: request.headers, body });
    const behaviour = behaviours.shift() ?? (typeof usual === 'function' ? usual(body) : usual);
    if (behaviour === 'silent') return;
    if (typeof behaviour === 'object' && 'status' in behaviour) {
      response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
      response.end(behaviour.body ?? JSON.stringify(protocol.refusal(behaviour.status)));
      return;
    }
    const isCut = behaviour === 'cut';
    const said: Said = isCut ? { text: 'half' } : behaviour;
    const parts = body.stream ? protocol.frames(body, said) : [JSON.stringify(protocol.whole(body, said))];
    response.writeHead(200, {
      'content-type': body.stream ? 'text/event-stream' : 'application/json',
      ...(isCut && { 'content-length': '1000000' }),
    });
    if (!isCut) {
      for (const part of parts) response.write(part);
      response.end();
      return;
    }
    // The connection ends behind the first word.
    const until = body.stream ? parts.findIndex((part) => part.includes('half')) + 1 : 1;
    const begun = body.stream ? parts.slice(0, until).join('') : (parts[0] ?? '').slice(0, 9);
    response.write(begun, () => response.destroy());
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
export function textOf(request: { messages: unknown } | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}
