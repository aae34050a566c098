import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelTool, Question } from '../../../../shared/domain/language-models/model.ts';
import { anthropicMessages } from '../../../support/anthropic-messages.ts';
import { chatCompletions, startServerOf, textOf } from '../../../support/model-server.ts';
import { failureOf, modelsOver } from './configured-models.ts';

const KEY_VARIABLE = 'CALIBRON_TEST_PROVIDER_KEY';
const key = 'sk-very-secret-4712';
const verdict = z.object({ decision: z.enum(['PASS', 'FAIL']), reason: z.string() });
let directory: string;
let picture: Buffer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'calibron-providers-'));
  process.env[KEY_VARIABLE] = key;
  const create = { width: 40, height: 20, channels: 3, background: 'red' } as const;
  picture = await sharp({ create }).png().toBuffer();
});
afterAll(async () => {
  delete process.env[KEY_VARIABLE];
  await rm(directory, { recursive: true });
});

const question = (fields: Partial<Question> = {}): Question => ({
  purpose: 'chat',
  system: 'You are brief.',
  turns: [{ role: 'user', content: 'How is Q3?', images: [picture] }],
  ...fields,
});

/** A tool that gives what it is asked about. */
function echo(asked: unknown[] = []): ModelTool {
  return {
    name: 'latest',
    description: 'The newest value.',
    input: z.object({ qid: z.string() }),
    run: async (given) => {
      asked.push(given);
      return 'T1 is 51 us';
    },
  };
}

const kinds = [
  // Older models of Anthropic write JSON as the call of a tool, newer ones as text of a given shape.
  { provider: 'anthropic', model: 'claude-sonnet-4-5', protocol: 'messages' },
  { provider: 'anthropic', model: 'claude-3-5-haiku', protocol: 'messages' },
  { provider: 'ollama', model: 'qwen2.5vl', protocol: 'chat' },
] as const;

const startServer = (protocol: 'messages' | 'chat') =>
  protocol === 'messages' ? startServerOf(anthropicMessages) : startServerOf(chatCompletions);

describe.each(kinds)('$provider/$model', ({ provider, model, protocol }) => {
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    server = await startServer(protocol);
  });
  afterAll(() => server.close());
  afterEach(() => {
    server.asked.length = 0;
  });

  const modelsWith = (fields: string[] = [], chat = '') => {
    const lines = [`provider: ${provider}`, `name: ${model}`, `base_url: ${server.url}`, ...fields];
    return modelsOver({
      directory,
      file: `model:\n${lines.map((line) => `  ${line}\n`).join('')}${chat}`,
      endpoints: `${server.url} ${KEY_VARIABLE}`,
    });
  };

  test('a text is requested with key, picture, system text and limits', async () => {
    const models = await modelsWith(['temperature: 0.5', 'top_k: 7', 'max_output_tokens: 60']);
    const answer = await models.writeText(question());
    expect(answer).toMatchObject({
      content: 'an answer',
      model: { provider, name: model },
      usage: { input_tokens: 100, output_tokens: 20, calls: 1 },
    });
    const [asked] = server.asked;
    expect(asked?.headers['x-api-key'] ?? asked?.headers.authorization).toBe(
      provider === 'anthropic' ? key : `Bearer ${key}`,
    );
    expect(asked?.body).toMatchObject({ model, temperature: 0.5, top_k: 7, max_tokens: 60 });
    expect(JSON.stringify(asked?.body)).toContain('You are brief.');
    expect(textOf(asked?.body)).toContain('How is Q3?');
    expect(textOf(asked?.body)).toContain(picture.subarray(0, 8).toString('base64').slice(0, 10));
    expect(textOf(asked?.body)).toContain('image/png');
  });

  test('a streamed text comes in pieces', async () => {
    const models = await modelsWith();
    server.next({ text: 'one two three' });
    const pieces: string[] = [];
    const answer = await models.writeText(question(), (piece) => pieces.push(piece));
    expect(pieces).toEqual(['one ', 'two ', 'three']);
    expect(answer).toMatchObject({
      content: 'one two three',
      usage: { input_tokens: 100, output_tokens: 20, calls: 1 },
    });
  });

  test('an answer of a shape is requested as this model takes it, and repaired once', async () => {
    const models = await modelsWith();
    server.next({ text: '{"decision":"PASS","reason":"fine"}' });
    expect((await models.writeObject(question(), verdict)).content).toEqual({
      decision: 'PASS',
      reason: 'fine',
    });
    expect(JSON.stringify(server.asked[0]?.body)).toContain('"decision"');
    server.next({ text: 'PERHAPS' }, { text: '{"decision":"FAIL","reason":"noise"}' });
    expect(await models.writeObject(question(), verdict)).toMatchObject({
      content: { decision: 'FAIL' },
      usage: { calls: 2, input_tokens: 200 },
    });
    server.next({ text: '{"decision":"PERHAPS"}' }, { text: '{"decision":"NEVER"}' });
    expect(await failureOf(models.writeObject(question(), verdict))).toMatchObject({
      code: 'model_failed',
    });
  });

  test('temporary refusals are waited for as long as the server asks, then reported with it', async () => {
    const models = await modelsWith(['retries: 1']);
    server.next({ status: 429, headers: { 'retry-after': '0' } }, { text: 'now' });
    expect((await models.writeText(question())).content).toBe('now');
    server.next({ status: 529, headers: { 'retry-after': '0' } }, { text: 'again' });
    expect((await models.writeText(question(), () => undefined)).content).toBe('again');
    for (const status of [429, 529]) {
      server.next({ status, headers: { 'retry-after': '17' } });
      expect(await failureOf(models.writeText(question({ retries: 0 })))).toMatchObject({
        code: 'model_unavailable',
        retryAfter: 17,
      });
    }
  });

  test('a slow, a cut and an unreadable answer are distinguished from a right one, and no key is shown', async () => {
    const hasty = await modelsWith(['retries: 0', 'timeout: 0.2']);
    server.next('silent');
    expect((await failureOf(hasty.writeText(question()))).message).toContain('in time');
    const models = await modelsWith(['retries: 0']);
    server.next('cut');
    expect((await failureOf(models.writeText(question()))).code).toMatch(/^model_/);
    server.next('cut');
    const pieces: string[] = [];
    const cut = await failureOf(models.writeText(question(), (piece) => pieces.push(piece)));
    expect([cut.code.startsWith('model_'), pieces]).toEqual([true, ['half']]);
    server.next({ status: 200, body: 'no JSON' });
    expect(await failureOf(models.writeText(question()))).toMatchObject({ code: 'model_failed' });
    server.next({ status: 401, body: JSON.stringify({ error: { message: `wrong key ${key}` } }) });
    const refused = await failureOf(models.writeText(question()));
    expect(refused.message).toContain('refuses its key');
    expect(JSON.stringify([refused, refused.message, refused.stack])).not.toContain(key);
  });

  test.each(['in one piece', 'in pieces'])('what is looked up goes into the answer, %s', async (how) => {
    const models = await modelsWith(['price: { input: 1, output: 1 }']);
    server.next(
      { text: 'Let me look.', calls: [{ name: 'latest', input: { qid: '3' } }] },
      { text: 'It is 51 us.' },
    );
    const asked: unknown[] = [];
    const told: unknown[] = [];
    const pieces: string[] = [];
    const lookups = { tools: [echo(asked)], onLookup: (each: unknown) => told.push(each) };
    const onText = how === 'in pieces' ? (piece: string) => pieces.push(piece) : undefined;
    const answer = await models.writeText(question({ lookups }), onText);
    expect(answer).toMatchObject({
      content: 'Let me look.\n\nIt is 51 us.',
      usage: { calls: 2, input_tokens: 200, output_tokens: 40, cost: 0.00024 },
    });
    if (onText) expect(pieces.join('')).toBe(answer.content);
    expect(asked).toEqual([{ qid: '3' }]);
    expect(told).toEqual([
      { tool: 'latest', completed_tools: [], done: false },
      { tool: 'latest', completed_tools: ['latest'], done: true },
    ]);
    expect(textOf(server.asked[1]?.body)).toContain('T1 is 51 us');
  });

  test('a model that never stops looking things up has to answer at last', async () => {
    const models = await modelsWith([], 'chat: { max_rounds: 3, max_tool_calls: 100 }\n');
    server.always((body: { tool_choice?: unknown }) =>
      JSON.stringify(body.tool_choice ?? '').includes('none')
        ? { text: 'So be it.' }
        : { calls: [{ name: 'latest', input: { qid: '3' } }] },
    );
    const asked: unknown[] = [];
    const answer = await models.writeText(question({ lookups: { tools: [echo(asked)] } }));
    server.always({ text: 'an answer' });
    expect([answer.content, answer.usage.calls, asked.length]).toEqual(['So be it.', 4, 3]);
  });
});

test('Ollama receives how long to keep a model and how much it reads', async () => {
  const server = await startServer('chat');
  const models = await modelsOver({
    directory,
    file: `model: { provider: ollama, name: qwen2.5vl, base_url: "${server.url}", keep_alive: 10m, num_ctx: 8192 }\n`,
    endpoints: server.url,
  });
  await models.writeText(question());
  expect(server.asked[0]?.body).toMatchObject({ keep_alive: '10m', num_ctx: 8192 });
  expect(server.asked[0]?.headers.authorization).toBeUndefined();
  await server.close();
});

test.each([
  ['rounds', 'max_rounds: 2, max_tool_calls: 100'],
  ['look-ups', 'max_tool_calls: 2'],
  ['tokens', 'max_tokens: 240'],
  ['cost', 'max_cost: 0.0002'],
])('what an answer may look up is bounded in %s', async (_bound, limits) => {
  const server = await startServer('chat');
  const models = await modelsOver({
    directory,
    file: `model: { name: m, base_url: "${server.url}", price: { input: 1, output: 1 } }\nchat: { ${limits} }\n`,
    endpoints: server.url,
  });
  server.always((body: { tool_choice?: unknown }) =>
    body.tool_choice === 'none'
      ? { text: 'So be it.' }
      : { calls: [{ name: 'latest', input: { qid: '3' } }] },
  );
  const asked: unknown[] = [];
  const answer = await models.writeText(question({ lookups: { tools: [echo(asked)] } }));
  expect([answer.content, asked.length]).toEqual(['So be it.', 2]);
  await server.close();
});

test('look-ups fit what the model can read, and a model that cannot look up is offered nothing', async () => {
  const server = await startServer('chat');
  const limits: number[] = [];
  const long: ModelTool = {
    ...echo(),
    run: async (_given, longest) => {
      limits.push(longest);
      return 'x'.repeat(longest);
    },
  };
  const modelsWith = (fields: string) =>
    modelsOver({
      directory,
      file: `model: { name: m, base_url: "${server.url}", max_input_tokens: 1000${fields} }\nchat: { max_result_length: 2000 }\n`,
      endpoints: server.url,
    });
  const call = { name: 'latest', input: { qid: '3' } };
  server.next({ calls: [call, call, call] }, { text: 'Enough.' });
  const turns = [{ role: 'user' as const, content: 'x'.repeat(300) }];
  const asked = question({ turns, lookups: { tools: [long] } });
  expect((await (await modelsWith('')).writeText(asked)).content).toBe('Enough.');
  expect(limits).toHaveLength(2);
  expect(limits.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(3000 - 300);
  expect(textOf(server.asked[1]?.body)).toContain('Nothing more can be looked up.');
  await (await modelsWith(', tools: false')).writeText(asked);
  expect(server.asked[2]?.body).not.toHaveProperty('tools');
  await server.close();
});
