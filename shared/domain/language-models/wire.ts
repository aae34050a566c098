import { z } from 'zod';
import type { CopilotSettings, ModelSettings } from './model.ts';
import { rulesModel } from './rules.ts';

export const shownModel = z.object({
  provider: z.string(),
  name: z.string(),
  temperature: z.number().nullable(),
  max_output_tokens: z.number().int(),
});

/** What clients see of `copilot.yaml`: no model addresses, no prompts, no names of keys. */
export const shownCopilot = z.object({
  enabled: z.boolean(),
  response_language: z.string(),
  model: shownModel.nullable(),
  models: z.array(shownModel),
  initial_message: z.string(),
  suggestions: z.array(z.object({ label: z.string(), prompt: z.string() })),
  scoring: z.record(z.string(), z.looseObject({ good: z.number() })),
  analysis: z
    .object({
      enabled: z.boolean(),
      model: shownModel.describe('The one that analyses use unless another is requested.'),
      models: z.array(shownModel),
      max_expected_images: z.number().int(),
      ai_review_tasks: z.array(z.string()),
      review_after_runs: z.boolean(),
    })
    .meta({ id: 'ReviewSettings' }),
});
type ShownCopilot = z.infer<typeof shownCopilot>;

function shown({ provider, name, temperature, max_output_tokens }: ModelSettings) {
  return { provider, name, temperature: temperature ?? null, max_output_tokens };
}

/** The file as clients see it. */
export function shownCopilotOf({ analysis, ...content }: CopilotSettings): ShownCopilot {
  return {
    enabled: content.enabled,
    response_language: content.response_language,
    model: content.model && shown(content.model),
    models: content.models.map(shown),
    initial_message: content.initial_message,
    suggestions: content.suggestions,
    scoring: content.scoring,
    analysis: {
      enabled: analysis.enabled,
      model: shown(analysis.model ?? analysis.models[0] ?? rulesModel),
      models: analysis.models.map(shown),
      max_expected_images: analysis.max_expected_images,
      ai_review_tasks: analysis.ai_review_tasks,
      review_after_runs: analysis.review_after_runs,
    },
  };
}
