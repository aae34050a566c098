import { z } from 'zod';
import { executionIdSchema, taskIdSchema } from '../../kernel/ids.ts';
import { modelOverride } from '../language-models/model.ts';
import { shownCopilot } from '../language-models/wire.ts';

/** The part of `copilot.yaml` that clients may see, and whether the assistant is usable. */
export const copilotConfig = shownCopilot
  .extend({ available: z.boolean().describe('Whether chats have a model.') })
  .meta({ id: 'CopilotConfig' });
export type CopilotConfig = z.infer<typeof copilotConfig>;

/** Maximum length in characters of a picture in base64, and of a user's message. */
const MAX_IMAGE = 7_000_000;
const MAX_MESSAGE = 8000;

const conversation = {
  conversation_history: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(100_000) }))
    .max(200)
    .nullish(),
  image_base64: z.string().max(MAX_IMAGE).nullish().describe('A PNG, JPEG, GIF or WebP picture.'),
  model_override: modelOverride.nullish(),
};

/** Body of POST /copilot/analyze. */
export const analyzeBody = z.object({
  task_id: taskIdSchema.max(200),
  task_name: z.string().max(200).nullish(),
  chip_id: z.string().max(200).nullish(),
  qid: z.string().max(64).nullish(),
  execution_id: executionIdSchema.max(200).nullish(),
  message: z.string().max(MAX_MESSAGE).nullish(),
  ...conversation,
});
export type AnalyzeBody = z.infer<typeof analyzeBody>;

const shortText = z.string().max(2000);

/** Analysis of a result by a model or by the built-in rules. */
export const analysis = z
  .object({
    summary: z.string().min(1).max(4000),
    assessment: z.enum(['good', 'warning', 'bad']),
    explanation: z.string().max(20_000),
    potential_issues: z.array(shortText).max(20),
    recommendations: z.array(shortText).max(20),
  })
  .meta({ id: 'CopilotAnalysis' });
export type Analysis = z.infer<typeof analysis>;

/** Body of POST /copilot/chat. */
export const chatBody = z.object({
  message: z.string().min(1).max(MAX_MESSAGE),
  chip_id: z.string().max(200).nullish(),
  qid: z.string().max(64).nullish(),
  ...conversation,
});
export type ChatBody = z.infer<typeof chatBody>;

/** An answer of the assistant in a chat. */
export const chatAnswer = z
  .object({
    blocks: z.array(z.object({ type: z.literal('text'), content: z.string() })),
    message: z.string(),
    model: z.string(),
    usage: z
      .object({
        input_tokens: z.number().int(),
        output_tokens: z.number().int(),
        cost: z.number().nullable(),
        latency: z.number().describe('Duration of the answer in seconds.'),
      })
      .meta({ id: 'ModelUsage' }),
  })
  .meta({ id: 'CopilotAnswer' });
export type ChatAnswer = z.infer<typeof chatAnswer>;

/** Body of POST /flows/{name}/agent/codex. */
export const draftBody = z.object({
  prompt: z.string().min(1).max(MAX_MESSAGE),
  code: z.string().max(200_000).default(''),
  context: z.string().max(20_000).nullish(),
  flow_function_name: z.string().max(200).nullish(),
  model_override: modelOverride.nullish(),
});
export type DraftBody = z.infer<typeof draftBody>;

/** A model's answer when it drafts a flow. */
export const writtenFlow = z.object({ code: z.string().min(1).max(200_000), summary: z.string().max(4000) });

/** A drafted flow; nothing is saved. */
export const flowDraft = z
  .object({
    code: z.string(),
    summary: z.string(),
    diff: z.string().describe('From the code that was sent to the draft, as a unified diff.'),
    command: z.array(z.string()).describe('Always empty: no command is run.'),
    problems: z
      .array(z.object({ line: z.number().int(), message: z.string() }))
      .describe('Problems for which saving it would be refused; empty if the draft can be saved.'),
  })
  .meta({ id: 'FlowDraft' });
export type FlowDraft = z.infer<typeof flowDraft>;
