import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  NoObjectGeneratedError,
  Output,
  streamText,
} from 'ai';
import type { z } from 'zod';
import type { Endpoint } from './endpoint-rules.ts';
import { ModelError } from './errors.ts';
import { modelFailure } from './failure-rules.ts';
import type { ModelAnswer, ModelSettings, Turn } from './model.ts';
import { costOf } from './rules.ts';
import { type BoundLookups, toolRounds } from './tool-rounds.ts';

// By default the library prints each option that a model does not support.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** A question to one model at one address. */
export interface Call {
  settings: ModelSettings;
  endpoint: Endpoint;
  key: string | undefined;
  system: string;
  turns: readonly Turn[];
  retries: number;
  signal: AbortSignal;
  /** For answers in free text. */
  lookups?: BoundLookups | undefined;
}

/** Separates the text before and after a look-up. */
const BETWEEN_ROUNDS = '\n\n';

type Tokens = { input_tokens: number; output_tokens: number };
const noTokens: Tokens = { input_tokens: 0, output_tokens: 0 };

/** Redirects are refused: they would send the question and the key elsewhere. */
const fetchWithoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

function languageModelOf({ settings, endpoint, key }: Call): LanguageModel {
  const common = { baseURL: endpoint.url, fetch: fetchWithoutRedirects };
  if (settings.provider === 'anthropic')
    return createAnthropic({ ...common, apiKey: key ?? '' })(settings.name);
  return createOpenAICompatible({
    ...common,
    name: settings.provider,
    ...(key !== undefined && { apiKey: key }),
    includeUsage: true,
    supportsStructuredOutputs: settings.structured_outputs,
    // OpenAI's newer models accept the limit under this name only.
    transformRequestBody: ({ max_tokens, ...body }) =>
      settings.provider === 'openai'
        ? { ...body, max_completion_tokens: max_tokens }
        : { ...body, max_tokens },
  })(settings.name);
}

function optionsOf(call: Call) {
  const { settings, system, signal, retries } = call;
  const { provider, temperature, top_p: topP, top_k, keep_alive, num_ctx, reasoning_effort } = settings;
  const extra = {
    ...(top_k && { top_k }),
    ...(keep_alive && { keep_alive }),
    ...(num_ctx && { num_ctx }),
    ...(reasoning_effort && { reasoningEffort: reasoning_effort }),
  };
  return {
    model: languageModelOf(call),
    system,
    abortSignal: signal,
    maxRetries: retries,
    maxOutputTokens: settings.max_output_tokens,
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof topP === 'number' && { topP }),
    ...(provider === 'anthropic' && top_k && { topK: top_k }),
    ...(provider !== 'anthropic' && { providerOptions: { [provider]: extra } }),
  };
}

function messageOf({ role, content, images = [] }: Turn): ModelMessage {
  if (role === 'assistant') return { role, content };
  const pictures = images.map((image) => ({ type: 'image' as const, image, mediaType: 'image/png' }));
  return { role, content: [{ type: 'text', text: content }, ...pictures] };
}

function tokensOf(usage: LanguageModelUsage | undefined): Tokens {
  return { input_tokens: usage?.inputTokens ?? 0, output_tokens: usage?.outputTokens ?? 0 };
}

function answerOf<Content>(
  { settings }: Call,
  content: Content,
  { begun, tokens, calls }: { begun: number; tokens: Tokens; calls: number },
): ModelAnswer<Content> {
  const { provider, name, price } = settings;
  const latency = (performance.now() - begun) / 1000;
  return {
    content,
    model: { provider, name },
    usage: { ...tokens, cost: costOf(price, tokens), latency, calls },
  };
}

/**
 * Gets an answer in free text.
 * @param onText called with each piece as it arrives; without it the answer is requested in one piece
 * @throws model_unavailable, model_failed
 */
export async function askForText(call: Call, onText?: (piece: string) => void): Promise<ModelAnswer<string>> {
  const begun = performance.now();
  const asked = {
    ...optionsOf(call),
    messages: call.turns.map(messageOf),
    ...(call.lookups && toolRounds(call.lookups, call.settings.price)),
  };
  try {
    const { text, usage, calls } = onText ? await streamed(asked, onText) : await whole(asked);
    if (text.trim() === '') throw new ModelError('model_failed', `${nameOf(call)} answered nothing.`);
    return answerOf(call, text, { begun, tokens: tokensOf(usage), calls });
  } catch (thrown) {
    throw modelFailure(thrown, nameOf(call));
  }
}

/** A text with the usage of its model calls; text that the model wrote before a look-up is included. */
interface Told {
  text: string;
  usage: LanguageModelUsage;
  calls: number;
}

async function whole(asked: Parameters<typeof generateText>[0]): Promise<Told> {
  const { steps, totalUsage } = await generateText(asked);
  const texts = steps.map(({ text }) => text).filter((text) => text !== '');
  return { text: texts.join(BETWEEN_ROUNDS), usage: totalUsage, calls: steps.length };
}

async function streamed(
  asked: Parameters<typeof streamText>[0],
  onText: (piece: string) => void,
): Promise<Told> {
  // Errors arrive as parts of the stream; by default the library would also print them.
  const { fullStream } = streamText({ ...asked, onError: () => undefined });
  let text = '';
  let calls = 0;
  let between = '';
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new DOMException('ended', 'AbortError');
    if (part.type === 'start-step') {
      calls += 1;
      between = text === '' ? '' : BETWEEN_ROUNDS;
    }
    if (part.type === 'text-delta' && part.text !== '') {
      text += between + part.text;
      onText(between + part.text);
      between = '';
    }
    if (part.type === 'finish' && part.finishReason !== 'other')
      return { text, usage: part.totalUsage, calls };
  }
  throw new ModelError('model_failed', 'The answer of the model broke off; try again.');
}

/**
 * Gets an answer of a given shape. An answer that does not fit is sent back once with a description of the problem.
 * @throws model_unavailable, model_failed
 */
export async function askForObject<Content>(
  call: Call,
  schema: z.ZodType<Content>,
): Promise<ModelAnswer<Content>> {
  const begun = performance.now();
  const turns = call.turns.map(messageOf);
  try {
    const first = await written(call, turns, schema);
    const read = readAs(first.text, schema);
    if (read.success) return answerOf(call, read.data, { begun, tokens: first.tokens, calls: 1 });
    const repair: ModelMessage[] = [
      { role: 'assistant', content: first.text || '(nothing)' },
      {
        role: 'user',
        content: `This answer cannot be used: ${read.problem} Answer again with JSON of the asked shape only.`,
      },
    ];
    const second = await written(call, [...turns, ...repair], schema);
    const repaired = readAs(second.text, schema);
    if (!repaired.success) {
      throw new ModelError('model_failed', `${nameOf(call)} did not answer in the asked shape, twice.`);
    }
    const tokens = {
      input_tokens: first.tokens.input_tokens + second.tokens.input_tokens,
      output_tokens: first.tokens.output_tokens + second.tokens.output_tokens,
    };
    return answerOf(call, repaired.data, { begun, tokens, calls: 2 });
  } catch (thrown) {
    throw modelFailure(thrown, nameOf(call));
  }
}

async function written<Content>(
  call: Call,
  messages: ModelMessage[],
  schema: z.ZodType<Content>,
): Promise<{ text: string; tokens: Tokens }> {
  try {
    const { text, usage } = await generateText({
      ...optionsOf(call),
      messages,
      output: Output.object({ schema }),
    });
    return { text, tokens: tokensOf(usage) };
  } catch (thrown) {
    if (!NoObjectGeneratedError.isInstance(thrown)) throw thrown;
    return { text: thrown.text ?? '', tokens: thrown.usage ? tokensOf(thrown.usage) : noTokens };
  }
}

type Read<Content> = { success: true; data: Content } | { success: false; problem: string };

/** Parses JSON that may be inside a code fence or surrounded by text. */
function readAs<Content>(text: string, schema: z.ZodType<Content>): Read<Content> {
  const json = text.slice(Math.max(text.indexOf('{'), 0), text.lastIndexOf('}') + 1);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { success: false, problem: 'it is no JSON.' };
  }
  const read = schema.safeParse(value);
  if (read.success) return { success: true, data: read.data };
  const problems = read.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`);
  return { success: false, problem: `${problems.join('; ')}.` };
}

function nameOf({ settings }: Call): string {
  return `Model ${settings.provider}/${settings.name}`;
}
