import { z } from 'zod';
import type { Share } from '../../kernel/fair-queue.ts';
import { boolean, integer } from '../../kernel/wire.ts';

const PROVIDERS = ['openai', 'anthropic', 'ollama', 'rules'] as const;

/** Name of the reviewer that is built in: fixed rules, no language model. */
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
  /** Where the model answers, without `/chat/completions`; one of the setting AI_ENDPOINTS. */
  base_url: z.string().nullish(),
  ...sampling,
  max_output_tokens: z.number().int().min(1).default(16_384),
  /** Tokens of a question; older turns of a conversation are left out beyond them. */
  max_input_tokens: z.number().int().min(1000).default(100_000),
  /** Seconds for an answer, repeats and one repair included. */
  timeout: z.number().positive().max(3600).default(120),
  /** How often a call is repeated that was refused for now (429, 5xx) or not connected. */
  retries: z.number().int().min(0).max(10).default(2),
  /** Whether the server takes a JSON Schema for its answers. */
  structured_outputs: z.boolean().default(true),
  /** Whether the model may look things up in chats; some servers refuse questions that offer it. */
  tools: z.boolean().default(true),
  /** Pictures that the model takes; 0 for one that sees none. */
  max_images: z.number().int().min(0).max(20).default(8),
  /** Pixels of the longer edge to which pictures are brought down. */
  max_image_edge: z.number().int().min(64).max(8000).default(1568),
  /** What a million tokens cost, in any one currency. */
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).nullish(),
});
export type ModelSettings = z.infer<typeof modelSettings>;

/** A model that a request asks for: one of the configured ones, by provider and name. */
export const modelOverride = z.object({
  provider: z.string().max(64).default('openai'),
  name: z.string().max(200).default('gpt-4.1'),
  ...sampling,
  max_output_tokens: integer({ min: 1, max: 1_000_000 }).prefault(16_384),
  base_url: z.string().max(1000).nullish().describe('Taken only when the operator allows this address.'),
  api_key_env: z
    .string()
    .max(200)
    .nullish()
    .describe('Name of an environment variable; taken only when the operator allows it for the address.'),
  disable_thinking_instruction: boolean().nullish(),
  api_style: z.string().max(64).nullish(),
});
export type ModelOverride = z.infer<typeof modelOverride>;

const text = (longest: number) => z.string().max(longest).default('');
const scoringThreshold = z.looseObject({ good: z.number(), excellent: z.number().optional() });

/** `copilot.yaml`: the assistant, the models that there are, and how results are reviewed. */
export const copilotFileContent = z.strictObject({
  enabled: z.boolean().default(true),
  response_language: z.string().min(1).max(64).default('English'),
  /** The model of chats; without one there is no chat. */
  model: modelSettings.nullable().default(null),
  /** Further models that requests may choose. */
  models: z.array(modelSettings).max(50).default([]),
  system_prompt: text(20_000),
  initial_message: text(2000),
  suggestions: z
    .array(z.strictObject({ label: z.string().max(200), prompt: z.string().max(2000) }))
    .max(20)
    .default([]),
  /** What counts as good, by output parameter. */
  scoring: z.record(z.string(), scoringThreshold).default({}),
  /** What the assistant may look up for one answer in a chat; whatever is used up first ends it. */
  chat: z
    .strictObject({
      /** Look-ups; 0 for none. */
      max_tool_calls: z.number().int().min(0).max(100).default(12),
      /** Times that the model is asked before it has to answer. */
      max_rounds: z.number().int().min(1).max(20).default(6),
      /** Characters of what one look-up gives, as the model is sent it. */
      max_result_length: z.number().int().min(1000).max(100_000).default(12_000),
      /** Tokens, read and written, after which nothing more is looked up. */
      max_tokens: z.number().int().min(1).default(200_000),
      /** The same as a cost in the currency of the model's price; null for none. */
      max_cost: z.number().positive().nullable().default(null),
    })
    .prefault({}),
  analysis: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** The model of reviews; the rules that are built in when there is none. */
      model: modelSettings.nullable().default(null),
      models: z.array(modelSettings).max(50).default([]),
      system_prompt: text(20_000),
      max_expected_images: z.number().int().min(0).max(10).default(2),
      /** Tasks whose results may be reviewed. */
      ai_review_tasks: z.array(z.string()).max(200).default([]),
      /** Whether a run's results of these tasks are reviewed when it has ended. */
      review_after_runs: z.boolean().default(false),
      /** Decisions that hold a value back until a person has looked at it. */
      hold_back_on: z.array(z.enum(['PASS_WITH_NOTE', 'REVIEW', 'FAIL'])).default(['FAIL']),
      /** Reviews of one batch that are under way at a time. */
      parallel_reviews: z.number().int().min(1).max(16).default(4),
    })
    .prefault({}),
});
export type CopilotSettings = z.infer<typeof copilotFileContent>;

/** What a model is asked for; reviews and analyses have models of their own. */
export type Purpose = 'chat' | 'analysis';

/** One turn of a conversation. Pictures are files of any common kind. */
export interface Turn {
  role: 'user' | 'assistant';
  content: string;
  images?: readonly Uint8Array[];
}

/** Something that a model may look up while it answers. It reads, and changes nothing. */
export interface ModelTool {
  name: string;
  /** What it gives, for the model. */
  description: string;
  input: z.ZodType;
  /**
   * What was found, as a quotation, or why nothing was; it throws nothing.
   * @param given by the model, of any shape
   * @param longest characters of the quotation's content
   */
  run(given: unknown, longest: number): Promise<string>;
}

/** What may be looked up for an answer, and who is told when something is. */
export interface Lookups {
  tools: readonly ModelTool[];
  /** Called before and after each look-up. */
  told?: (lookup: { tool: string; completed_tools: readonly string[]; done: boolean }) => void;
}

export interface Question {
  purpose: Purpose;
  /** The model that a request asked for. */
  override?: ModelOverride | null | undefined;
  system: string;
  /** Ends with a turn of the user. */
  turns: readonly Turn[];
  /** Ends the call. */
  signal?: AbortSignal | undefined;
  /** Whose pictures the turns have. Default: those of the service itself. */
  share?: Share | undefined;
  /** In place of the model's own number, for callers who repeat by themselves. */
  retries?: number | undefined;
  /** For answers in free text. */
  lookups?: Lookups | undefined;
}

/** What an answer took. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  /** Null for a model without a price. */
  cost: number | null;
  /** Seconds. */
  latency: number;
  /** Answers that were asked for: more than one where something was looked up, or the first had to be repaired. */
  calls: number;
}

export interface ModelAnswer<Content> {
  content: Content;
  model: { provider: string; name: string };
  usage: Usage;
}
