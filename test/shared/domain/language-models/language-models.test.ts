import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { LanguageModels } from '../../../../shared/domain/language-models/index.ts';
import { modelOverride, type Question } from '../../../../shared/domain/language-models/model.ts';
import { SettingsError } from '../../../../shared/kernel/secret-files.ts';
import { startModelServer, textOf } from '../../../support/model-server.ts';
import { failureOf, modelsOver } from './configured-models.ts';

const KEY_VARIABLE = 'CALIBRON_TEST_MODEL_KEY';
const key = 'sk-very-secret-4711';
let server: Awaited<ReturnType<typeof startModelServer>>;
let directory: string;
let logged = '';

beforeAll(async () => {
  server = await startModelServer();
  directory = await mkdtemp(join(tmpdir(), 'calibron-models-'));
  process.env[KEY_VARIABLE] = key;
});

afterAll(async () => {
  delete process.env[KEY_VARIABLE];
  await server.close();
  await rm(directory, { recursive: true });
});

afterEach(() => {
  server.asked.length = 0;
});

/** The area over a configuration with one model, told further fields as lines of YAML. */
function modelsWith(fields: string[] = [], file?: string): Promise<LanguageModels> {
  const lines = ['provider: openai', 'name: vision-1', `base_url: ${server.url}`, ...fields];
  return modelsOver({
    directory,
    file: file ?? `model:\n${lines.map((line) => `  ${line}\n`).join('')}`,
    endpoints: `${server.url} ${KEY_VARIABLE}`,
    onLog: (line) => {
      logged += line;
    },
  });
}

const question = (fields: Partial<Question> = {}): Question => ({
  purpose: 'chat',
  system: 'You are brief.',
  turns: [{ role: 'user', content: 'How is Q3?' }],
  ...fields,
});

test('a text is requested with the key of its address, and its usage is reported', async () => {
  const models = await modelsWith([
    'temperature: 0.1',
    'price: { input: 2, output: 10 }',
    'max_output_tokens: 50',
  ]);
  expect(await models.available()).toBe(true);
  const answer = await models.writeText(question());
  expect(answer).toMatchObject({
    content: 'an answer',
    model: { provider: 'openai', name: 'vision-1' },
    usage: { input_tokens: 100, output_tokens: 20, cost: 0.0004, calls: 1 },
  });
  expect(answer.usage.latency).toBeGreaterThan(0);
  const [asked] = server.asked;
  expect(asked?.headers.authorization).toBe(`Bearer ${key}`);
  expect(asked?.body).toMatchObject({ model: 'vision-1', temperature: 0.1, max_completion_tokens: 50 });
  expect(asked?.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
});

test('a streamed text comes in pieces', async () => {
  const models = await modelsWith();
  server.next({ text: 'one two three' });
  const pieces: string[] = [];
  const answer = await models.writeText(question(), (piece) => pieces.push(piece));
  expect(pieces).toEqual(['one ', 'two ', 'three']);
  expect(answer.content).toBe('one two three');
  expect(answer.usage).toMatchObject({ input_tokens: 100, output_tokens: 20 });
});

const verdict = z.object({ decision: z.enum(['PASS', 'FAIL']), reason: z.string() });

test('an answer of a shape may be in a fence; one that does not fit is repaired once', async () => {
  const models = await modelsWith();
  server.next({ text: '```json\n{"decision":"PASS","reason":"fine"}\n```' });
  expect((await models.writeObject(question(), verdict)).content).toEqual({
    decision: 'PASS',
    reason: 'fine',
  });
  expect(server.asked[0]?.body.response_format).toMatchObject({ type: 'json_schema' });

  server.next({ text: 'PERHAPS' }, { text: '{"decision":"FAIL","reason":"noise"}' });
  const repaired = await models.writeObject(question(), verdict);
  expect(repaired).toMatchObject({ content: { decision: 'FAIL' }, usage: { calls: 2, input_tokens: 200 } });
  expect(textOf(server.asked.at(-1)?.body)).toContain('PERHAPS');

  server.next({ text: '{"decision":"PERHAPS"}' }, { text: '{"decision":"NEVER"}' });
  const failure = await failureOf(models.writeObject(question(), verdict));
  expect(failure).toMatchObject({ code: 'model_failed', status: 502 });
  expect(server.asked).toHaveLength(5);
});

test('a temporary refusal is retried after the time that the server names, then reported with it', async () => {
  const models = await modelsWith(['retries: 1']);
  server.next({ status: 429, headers: { 'retry-after': '0' } }, { text: 'now' });
  expect((await models.writeText(question())).content).toBe('now');
  server.next({ status: 429, headers: { 'retry-after': '17' } });
  expect(await failureOf(models.writeText(question({ retries: 0 })))).toMatchObject({
    code: 'model_unavailable',
    status: 503,
    retryAfter: 17,
  });
});

test('a slow server, a cut connection and an absent one are distinguished, without a word of the server', async () => {
  const models = await modelsWith(['retries: 0', 'timeout: 0.2']);
  server.next('silent');
  const slow = await failureOf(models.writeText(question()));
  expect(slow).toMatchObject({ code: 'model_unavailable' });
  expect(slow.message).toContain('in time');
  const patient = await modelsWith(['retries: 0']);
  server.next('cut');
  const cut = await failureOf(patient.writeText(question()));
  expect(['model_failed', 'model_unavailable']).toContain(cut.code);
  server.next('cut');
  const pieces: string[] = [];
  expect(await failureOf(patient.writeText(question(), (piece) => pieces.push(piece)))).toMatchObject({
    code: expect.stringMatching(/^model_/),
  });
  expect(pieces).toEqual(['half']);
  server.next({ status: 200, body: 'no JSON' });
  expect(await failureOf(patient.writeText(question()))).toMatchObject({ code: 'model_failed' });
  server.next({ text: '' });
  expect(await failureOf(patient.writeText(question()))).toMatchObject({ code: 'model_failed' });
});

test('a key is in no error and in no line of the log, though the server repeats it', async () => {
  const models = await modelsWith(['retries: 0']);
  server.next({ status: 401, body: JSON.stringify({ error: { message: `Incorrect API key ${key}` } }) });
  const failure = await failureOf(models.writeText(question()));
  expect(failure.message).toContain('refuses its key');
  expect(JSON.stringify([failure, failure.message, failure.stack, failure.cause ?? null])).not.toContain(key);
  server.next({ status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } });
  expect((await failureOf(models.writeText(question()))).code).toMatch(/^model_/);
  await models.writeText(question());
  expect(logged).toContain('language model answered');
  expect(logged).not.toContain(key);
  expect(logged).not.toContain('How is Q3?');
});

test('pictures are brought down to what the model takes, and too many are left out', async () => {
  const models = await modelsWith(['max_images: 1', 'max_image_edge: 64']);
  const large = await sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  await models.writeText(
    question({ turns: [{ role: 'user', content: 'look', images: [Buffer.from('no picture')] }] }),
  );
  expect(textOf(server.asked[0]?.body)).not.toContain('image_url');
  await models.writeText(question({ turns: [{ role: 'user', content: 'look', images: [large, large] }] }));
  const sent = [...textOf(server.asked[1]?.body).matchAll(/data:image\/png;base64,([^"]+)/g)];
  expect(sent).toHaveLength(1);
  const { width, height } = await sharp(Buffer.from(sent[0]?.[1] ?? '', 'base64')).metadata();
  expect([width, height]).toEqual([64, 32]);
});

test('the oldest turns are left out of a conversation that is too long, and a question that is, is refused', async () => {
  const models = await modelsWith(['max_input_tokens: 1000']);
  const turns = [
    { role: 'user' as const, content: `first ${'x'.repeat(2000)}` },
    { role: 'assistant' as const, content: 'second' },
    { role: 'user' as const, content: `third ${'y'.repeat(2000)}` },
  ];
  await models.writeText(question({ turns }));
  expect(textOf(server.asked[0]?.body)).toContain('third');
  expect(textOf(server.asked[0]?.body)).not.toContain('first');
  const long = question({ turns: [{ role: 'user', content: 'x'.repeat(4000) }] });
  expect(await failureOf(models.writeText(long))).toMatchObject({ code: 'too_large' });
});

test('a request may choose among the configured models only, and no address or key of its own', async () => {
  const models = await modelsWith(['max_output_tokens: 500']);
  const choice = (given: object) => ({ purpose: 'chat' as const, override: modelOverride.parse(given) });
  expect(
    await models.choose(choice({ name: 'vision-1', temperature: 0, max_output_tokens: 9000 })),
  ).toMatchObject({ name: 'vision-1', temperature: 0, max_output_tokens: 500 });
  expect(await failureOf(models.choose(choice({ name: 'gpt-9' })))).toMatchObject({ code: 'unknown_model' });
  const elsewhere = { name: 'vision-1', base_url: 'http://169.254.169.254/v1' };
  expect(await failureOf(models.choose(choice(elsewhere)))).toMatchObject({ code: 'model_not_allowed' });
  const stolen = { name: 'vision-1', base_url: server.url, api_key_env: 'TOKEN_SECRET' };
  expect(await failureOf(models.choose(choice(stolen)))).toMatchObject({ code: 'model_not_allowed' });
  const allowed = { name: 'vision-1', base_url: `${server.url}/`, api_key_env: KEY_VARIABLE };
  expect(await models.choose(choice(allowed))).toMatchObject({ name: 'vision-1' });
});

test('the configuration cannot send a key elsewhere: a model at an address that is not allowed is refused', async () => {
  const models = await modelsWith([], 'model: { name: a, base_url: "http://evil.example/v1" }\n');
  await expect(models.config()).rejects.toThrow(SettingsError);
  await expect(models.config()).rejects.toThrow('AI_ENDPOINTS');
});

test('without a model there is no chat, and reviews follow the built-in rules', async () => {
  const models = await modelsWith([], 'enabled: true\n');
  expect(await models.available()).toBe(false);
  expect(await failureOf(models.writeText(question()))).toMatchObject({ code: 'ai_disabled', status: 503 });
  expect(await models.choose({ purpose: 'analysis' })).toMatchObject({ provider: 'rules' });
  const off = await modelsWith([], `enabled: false\nmodel: { name: a, base_url: "${server.url}" }\n`);
  expect(await off.available()).toBe(false);
  expect(await failureOf(off.writeText(question()))).toMatchObject({ code: 'ai_disabled' });
  const keyless = await modelsWith([], 'model: { provider: anthropic, name: claude }\n');
  expect((await failureOf(keyless.writeText(question()))).message).toContain('ANTHROPIC_API_KEY');
});
