import { z } from 'zod';
import type { Share } from '../../kernel/fair-queue.ts';
import { boolean, integer } from '../../kernel/wire.ts';

const PROVIDERS = ['openai', 'anthropic', 'ollama', 'rules'] as const;

/** Name of the built-in reviewer: fixed rules, no language model. */
export const RULES_PROVIDER = 'rules';

const sampling = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().min(1).nullish(),
  reasoning_effort: z.string().max(32).nullish(),
  keep_alive: z.union([z.string().max(32), z.number()]).nullish(),
  num_ctx: z.number().int().min(1).nullish(),
};

/** One model of `copilot.yaml`. */
export const modelSettings = z.strictObject({
  provider: z.enum(PROVIDERS).default('openai'),
  name: z.string().min(1).max(200),
  /** Base URL of the model, without `/chat/completions`; one of those in the setting AI_ENDPOINTS. */
  base_url: z.string().nullish(),
  ...sampling,
  max_output_tokens: z.number().int().min(1).default(16_384),
  /** Maximum input tokens; older turns of a conversation are left out beyond it. */
  max_input_tokens: z.number().int().min(1000).default(100_000),
  /** Time limit of an answer in seconds, including retries and one repair. */
  timeout: z.number().positive().max(3600).default(120),
  /** Maximum number of retries of a call that failed temporarily (429, 5xx) or did not connect. */
  retries: z.number().int().min(0).max(10).default(2),
  /** Whether the server accepts a JSON Schema for its answers. */
  structured_outputs: z.boolean().default(true),
  /** Whether the model may use tools in chats; some servers reject requests that offer them. */
  tools: z.boolean().default(true),
  /** Maximum number of pictures in a request; 0 for a model without vision. */
  max_images: z.number().int().min(0).max(20).default(8),
  /** Maximum pixels of the longer edge; larger pictures are scaled down. */
  max_image_edge: z.number().int().min(64).max(8000).default(1568),
  /** Price of a million tokens, in any single currency. */
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).nullish(),
});
export type ModelSettings = z.infer<typeof modelSettings>;

/** A configured model that a request selects by provider and name. */
export const modelOverride = z.object({
  provider: z.string().max(64).default('openai'),
  name: z.string().max(200).default('gpt-4.1'),
  ...sampling,
  max_output_tokens: integer({ min: 1, max: 1_000_000 }).prefault(16_384),
  base_url: z.string().max(1000).nullish().describe('Accepted only if the operator allows this address.'),
  api_key_env: z
    .string()
    .max(200)
    .nullish()
    .describe('Name of an environment variable; accepted only if the operator allows it for the address.'),
  disable_thinking_instruction: boolean().nullish(),
  api_style: z.string().max(64).nullish(),
});
export type ModelOverride = z.infer<typeof modelOverride>;

const text = (longest: number) => z.string().max(longest).default('');
const scoringThreshold = z.looseObject({ good: z.number(), excellent: z.number().optional() });

/** `copilot.yaml`: the assistant, the available models, and how results are reviewed. */
export const copilotFileContent = z.strictObject({
  enabled: z.boolean().default(true),
  response_language: z.string().min(1).max(64).default('English'),
  /** The model of chats; without one, chat is disabled. */
  model: modelSettings.nullable().default(null),
  /** Further models that requests may select. */
  models: z.array(modelSettings).max(50).default([]),
  system_prompt: text(20_000),
  initial_message: text(2000),
  suggestions: z
    .array(z.strictObject({ label: z.string().max(200), prompt: z.string().max(2000) }))
    .max(20)
    .default([]),
  /** Thresholds of good values, by output parameter. */
  scoring: z.record(z.string(), scoringThreshold).default({}),
  /** Limits of the look-ups for one answer in a chat; the first limit reached ends them. */
  chat: z
    .strictObject({
      /** Maximum number of look-ups; 0 disables them. */
      max_tool_calls: z.number().int().min(0).max(100).default(12),
      /** Maximum number of model calls; the last one must answer. */
      max_rounds: z.number().int().min(1).max(20).default(6),
      /** Maximum characters of a look-up's result sent to the model. */
      max_result_length: z.number().int().min(1000).max(100_000).default(12_000),
      /** Tokens, input and output, after which no further look-ups are made. */
      max_tokens: z.number().int().min(1).default(200_000),
      /** The same limit as a cost in the currency of the model's price; null for no limit. */
      max_cost: z.number().positive().nullable().default(null),
    })
    .prefault({}),
  analysis: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** The model of reviews; null selects the built-in rules. */
      model: modelSettings.nullable().default(null),
      models: z.array(modelSettings).max(50).default([]),
      system_prompt: text(20_000),
      max_expected_images: z.number().int().min(0).max(10).default(2),
      /** Tasks whose results may be reviewed. */
      ai_review_tasks: z.array(z.string()).max(200).default([]),
      /** Whether these tasks' results of a run are reviewed after it has ended. */
      review_after_runs: z.boolean().default(false),
      /** Decisions that hold a value back until a user has reviewed it. */
      hold_back_on: z.array(z.enum(['PASS_WITH_NOTE', 'REVIEW', 'FAIL'])).default(['FAIL']),
      /** Maximum number of concurrent reviews in a batch. */
      parallel_reviews: z.number().int().min(1).max(16).default(4),
    })
    .prefault({}),
});
export type CopilotSettings = z.infer<typeof copilotFileContent>;

/** What a model is used for; reviews have a model of their own. */
export type Purpose = 'chat' | 'analysis';

/** One turn of a conversation. Pictures are files of any common format. */
export interface Turn {
  role: 'user' | 'assistant';
  content: string;
  images?: readonly Uint8Array[];
}

/** A read-only tool that a model may use while it answers. */
export interface ModelTool {
  name: string;
  /** Description of the tool's result, for the model. */
  description: string;
  input: z.ZodType;
  /**
   * Returns the result as a quotation, or the reason why there is none; never throws.
   * @param given the model's input, of any shape
   * @param longest maximum characters of the quotation's content
   */
  run(given: unknown, longest: number): Promise<string>;
}

/** Tools available for an answer, and a callback for their use. */
export interface Lookups {
  tools: readonly ModelTool[];
  /** Called before and after each look-up. */
  onLookup?: (lookup: { tool: string; completed_tools: readonly string[]; done: boolean }) => void;
}

export interface Question {
  purpose: Purpose;
  /** The model that the request selected. */
  override?: ModelOverride | null | undefined;
  system: string;
  /** The last turn is the user's. */
  turns: readonly Turn[];
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
  /** Share under which the turns' pictures are processed. Default: the service itself. */
  share?: Share | undefined;
  /** Overrides the model's own number of retries, for callers that retry themselves. */
  retries?: number | undefined;
  /** For answers in free text only. */
  lookups?: Lookups | undefined;
}

/** What an answer used. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** Null if the model has no price. */
  cost: number | null;
  /** In seconds. */
  latency: number;
  /** Number of model calls: more than one if there were look-ups or the first answer needed a repair. */
  calls: number;
}

export interface ModelAnswer<Content> {
  content: Content;
  model: { provider: string; name: string };
  usage: Usage;
}
