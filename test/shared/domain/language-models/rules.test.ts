import { describe, expect, test } from 'vitest';
import {
  type CopilotSettings,
  copilotFileContent,
  type ModelOverride,
  type ModelSettings,
  modelOverride,
  modelSettings,
  type Turn,
} from '../../../../shared/domain/language-models/model.ts';
import {
  chosenModel,
  costOf,
  defaultModel,
  fittingTurns,
  joinedTurns,
  modelsOf,
  roomBeside,
  rulesModel,
} from '../../../../shared/domain/language-models/rules.ts';

const model = (name: string, changes: Partial<ModelSettings> = {}): ModelSettings => ({
  ...modelSettings.parse({ name }),
  ...changes,
});

function settings(changes: {
  model?: ModelSettings | null;
  models?: ModelSettings[];
  analysis?: { model?: ModelSettings | null; models?: ModelSettings[] };
}): CopilotSettings {
  const { analysis, ...rest } = changes;
  const plain = copilotFileContent.parse({});
  return {
    ...plain,
    model: null,
    models: [],
    ...rest,
    analysis: { ...plain.analysis, model: null, models: [], ...analysis },
  };
}

const override = (changes: Partial<ModelOverride>) => ({ ...modelOverride.parse({}), ...changes });

describe('the model that answers if a request names none', () => {
  test('is the first one for chats, and never the built-in rules there', () => {
    const [first, second] = [model('first'), model('second')];
    expect(defaultModel(settings({ model: first, models: [second] }), 'chat')).toBe(first);
    expect(defaultModel(settings({ models: [rulesModel, second] }), 'chat')).toBe(second);
    expect(defaultModel(settings({ model: rulesModel }), 'chat')).toBeNull();
    expect(defaultModel(settings({ analysis: { model: first } }), 'chat')).toBeNull();
  });

  test('is the one for analyses elsewhere, and the built-in rules without one', () => {
    const [first, second] = [model('first'), model('second')];
    expect(defaultModel(settings({ analysis: { model: first, models: [second] } }), 'analysis')).toBe(first);
    expect(defaultModel(settings({ analysis: { models: [second] } }), 'analysis')).toBe(second);
    expect(defaultModel(settings({ model: first }), 'analysis')).toBe(rulesModel);
  });
});

test('the configured models are those for chats before those for analyses', () => {
  const [a, b, c, d] = [model('a'), model('b'), model('c'), model('d')];
  expect(
    modelsOf(settings({ model: a, models: [b], analysis: { model: c, models: [d] } })).map(
      ({ name }) => name,
    ),
  ).toEqual(['a', 'b', 'c', 'd']);
  expect(modelsOf(settings({}))).toEqual([]);
});

describe('the model of a request', () => {
  const configured = settings({
    model: model('small', { max_output_tokens: 1000 }),
    models: [model('large')],
  });
  const choose = (changes: Partial<ModelOverride>, allowed: Parameters<typeof chosenModel>[2] = []) =>
    chosenModel(configured, { purpose: 'chat', override: override(changes) }, allowed);

  test('is the default without a choice, or refused where there is none', () => {
    expect(chosenModel(configured, { purpose: 'chat' }, []).name).toBe('small');
    expect(chosenModel(configured, { purpose: 'chat', override: null }, []).name).toBe('small');
    expect(() => chosenModel(settings({}), { purpose: 'chat' }, [])).toThrow(
      expect.objectContaining({ code: 'ai_disabled' }),
    );
  });

  test('is found by provider and name, or refused with the names that there are', () => {
    expect(choose({ name: 'large' }).name).toBe('large');
    expect(() => choose({ name: 'huge' })).toThrow(
      'There is no model of this name; choose one of openai/small, openai/large, rules/fit-quality.',
    );
    expect(() => choose({ provider: 'anthropic', name: 'small' })).toThrow(
      expect.objectContaining({ code: 'unknown_model' }),
    );
    expect(choose({ provider: 'rules', name: 'whatever' }).name).toBe('fit-quality');
  });

  test('takes the sampling of the request, and keeps what the request leaves out', () => {
    expect(choose({ name: 'small', temperature: 0.2, top_p: null })).toMatchObject({ temperature: 0.2 });
    const warm = settings({ model: model('small', { temperature: 0.7 }) });
    const chosen = chosenModel(warm, { purpose: 'chat', override: override({ name: 'small' }) }, []);
    expect(chosen.temperature).toBe(0.7);
  });

  test('has its limit of output lowered by a request, but not raised', () => {
    expect(choose({ name: 'small', max_output_tokens: 10 }).max_output_tokens).toBe(10);
    expect(choose({ name: 'small', max_output_tokens: 5000 }).max_output_tokens).toBe(1000);
  });

  test('has another address or key only where the operator allows both together', () => {
    const allowed = [{ url: 'https://models.example/v1', keyVariable: 'LAB_KEY' }];
    const there = { name: 'small', base_url: 'https://models.example/v1/' };
    expect(choose(there, allowed).base_url).toBe(there.base_url);
    expect(choose({ ...there, api_key_env: 'LAB_KEY' }, allowed).base_url).toBe(there.base_url);
    const refused = expect.objectContaining({ code: 'model_not_allowed' });
    expect(() => choose(there)).toThrow(refused);
    expect(() => choose({ ...there, api_key_env: 'OPENAI_API_KEY' }, allowed)).toThrow(refused);
    expect(() => choose({ name: 'small', api_key_env: 'SECRET' })).toThrow(refused);
  });
});

describe('the turns of a conversation', () => {
  const turn = (length: number, role: Turn['role'] = 'user'): Turn => ({ role, content: 'x'.repeat(length) });

  test('leave room for three characters a token beside the system text', () => {
    expect(roomBeside({ max_input_tokens: 100 }, 'system', [turn(10), turn(20)])).toBe(300 - 6 - 30);
  });

  test('are the newest that fit, up to the last character', () => {
    const limit = { max_input_tokens: 10 };
    const turns = [turn(1), turn(10), turn(15)];
    expect(fittingTurns(limit, 'xxxxx', turns)).toEqual(turns.slice(1));
    expect(fittingTurns(limit, 'xxxx', turns)).toEqual(turns);
    expect(fittingTurns(limit, 'xxxxxx', turns)).toEqual(turns.slice(2));
  });

  test('are refused if not even the last one fits', () => {
    expect(() => fittingTurns({ max_input_tokens: 1 }, '', [turn(1), turn(4)])).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });

  test('are merged where the same speaks twice, begin with the user, and keep their pictures', () => {
    const picture = new Uint8Array([1, 2]);
    const turns: Turn[] = [
      { role: 'assistant', content: 'hello' },
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b', images: [picture] },
      { role: 'user', content: 'c', images: [picture] },
      { role: 'assistant', content: 'd' },
      { role: 'user', content: 'e', images: [] },
    ];
    expect(joinedTurns(turns)).toEqual([
      { role: 'user', content: 'a\nb\nc', images: [picture, picture] },
      { role: 'assistant', content: 'd' },
      { role: 'user', content: 'e' },
    ]);
    expect(turns[1]).toEqual({ role: 'user', content: 'a' });
  });
});

test('the cost of tokens is that of a million of each kind, and unknown without a price', () => {
  const tokens = { input_tokens: 2_000_000, output_tokens: 500_000 };
  expect(costOf({ input: 3, output: 10 }, tokens)).toBe(11);
  expect(costOf(null, tokens)).toBeNull();
  expect(costOf(undefined, tokens)).toBeNull();
});
