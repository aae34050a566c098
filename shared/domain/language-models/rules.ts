import { CalibronError } from '../../kernel/errors.ts';
import { type Endpoint, endpointOf } from './endpoint-rules.ts';
import { ModelError } from './errors.ts';
import {
  type CopilotSettings,
  type ModelOverride,
  type ModelSettings,
  modelSettings,
  type Purpose,
  RULES_PROVIDER,
  type Turn,
} from './model.ts';

/** The built-in reviewer as a model. */
export const rulesModel: ModelSettings = modelSettings.parse({
  provider: RULES_PROVIDER,
  name: 'fit-quality',
});

/** All configured models, in order of precedence for chats. */
export function modelsOf({ model, models, analysis }: CopilotSettings): ModelSettings[] {
  return [model, ...models, analysis.model, ...analysis.models].filter((each) => each !== null);
}

/** The model used if a request names none; null if chat has no model. */
export function defaultModel(settings: CopilotSettings, purpose: Purpose): ModelSettings | null {
  const { model, models, analysis } = settings;
  if (purpose === 'chat') {
    return [model, ...models].find((each) => each && each.provider !== RULES_PROVIDER) ?? null;
  }
  return analysis.model ?? analysis.models[0] ?? rulesModel;
}

/**
 * Selects the model for a question among the configured ones. A request selects it by provider and name, sets its
 * sampling, and may lower its output limit. An address or a key in the request must be one that the operator allowed.
 * @throws unknown_model, model_not_allowed, ai_disabled
 */
export function chosenModel(
  settings: CopilotSettings,
  { purpose, override }: { purpose: Purpose; override?: ModelOverride | null | undefined },
  allowed: readonly Endpoint[],
): ModelSettings {
  if (!override) {
    const model = defaultModel(settings, purpose);
    if (model) return model;
    throw new ModelError(
      'ai_disabled',
      'No language model is configured; an operator names one in copilot.yaml.',
    );
  }
  const configured = [...modelsOf(settings), rulesModel];
  const found = configured.find(
    ({ provider, name }) =>
      provider === override.provider && (name === override.name || provider === RULES_PROVIDER),
  );
  if (!found) {
    const names = configured.map(({ provider, name }) => `${provider}/${name}`);
    throw new ModelError(
      'unknown_model',
      `There is no model of this name; choose one of ${[...new Set(names)].join(', ')}.`,
    );
  }
  const chosen: ModelSettings = {
    ...found,
    ...withoutNulls({
      temperature: override.temperature,
      top_p: override.top_p,
      top_k: override.top_k,
      reasoning_effort: override.reasoning_effort,
      keep_alive: override.keep_alive,
      num_ctx: override.num_ctx,
      base_url: override.base_url,
    }),
    max_output_tokens: Math.min(found.max_output_tokens, override.max_output_tokens),
  };
  const endpoint = endpointOf(chosen, allowed);
  const wantsOtherKey = override.api_key_env && override.api_key_env !== endpoint?.keyVariable;
  if (!endpoint || wantsOtherKey) {
    throw new ModelError(
      'model_not_allowed',
      'This base_url or api_key_env is not allowed; leave both out, or ask the operator to name them in AI_ENDPOINTS.',
    );
  }
  return chosen;
}

function withoutNulls<Fields extends object>(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Minimum number of characters per token, in any language that laboratories use. */
const CHARACTERS_PER_TOKEN = 3;

/** Characters left in a model's input beside the system text and a conversation. */
export function roomBeside(
  { max_input_tokens }: Pick<ModelSettings, 'max_input_tokens'>,
  system: string,
  turns: readonly Turn[],
): number {
  const taken = turns.reduce((sum, { content }) => sum + content.length, system.length);
  return max_input_tokens * CHARACTERS_PER_TOKEN - taken;
}

/**
 * The newest turns that fit a model's input beside the system text.
 * @throws too_large if not even the last turn fits
 */
export function fittingTurns(
  { max_input_tokens }: Pick<ModelSettings, 'max_input_tokens'>,
  system: string,
  turns: readonly Turn[],
): readonly Turn[] {
  let room = roomBeside({ max_input_tokens }, system, []);
  let first = turns.length;
  while (first > 0) {
    room -= turns[first - 1]?.content.length ?? 0;
    if (room < 0) break;
    first -= 1;
  }
  if (first === turns.length) {
    throw new CalibronError('too_large', 'The question is longer than the model can take; shorten it.');
  }
  return turns.slice(first);
}

/** Merges consecutive turns of the same role and makes the user's turn the first, as models require. */
export function joinedTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = [];
  for (const { role, content, images = [] } of turns) {
    const before = joined.at(-1);
    if (before?.role === role) {
      before.content += `\n${content}`;
      if (images.length > 0) before.images = [...(before.images ?? []), ...images];
    } else if (before || role === 'user') {
      joined.push({ role, content, ...(images.length > 0 && { images }) });
    }
  }
  return joined;
}

/** The cost of tokens; null without a price. */
export function costOf(
  price: ModelSettings['price'],
  tokens: { input_tokens: number; output_tokens: number },
): number | null {
  if (!price) return null;
  return (tokens.input_tokens * price.input + tokens.output_tokens * price.output) / 1_000_000;
}
