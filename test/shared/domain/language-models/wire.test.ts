import { expect, test } from 'vitest';
import { copilotFile } from '../../../../shared/domain/language-models/copilot-file.ts';
import { copilotFileContent } from '../../../../shared/domain/language-models/model.ts';
import { shownCopilot, shownCopilotOf } from '../../../../shared/domain/language-models/wire.ts';

test('clients see which models there are, but neither their addresses nor the prompts', () => {
  const model = { provider: 'openai' as const, name: 'gpt', base_url: 'http://secret-host/v1' };
  const content = copilotFileContent.parse({
    model,
    models: [{ ...model, name: 'other' }],
    system_prompt: 'secret words',
    scoring: { t1: { good: 50, unit: 'us' } },
    analysis: { model, system_prompt: 'secret words' },
  });
  const shown = shownCopilotOf(content);
  expect(shownCopilot.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({
    model: { provider: 'openai', name: 'gpt' },
    models: [{ provider: 'openai', name: 'other' }],
    scoring: { t1: { good: 50, unit: 'us' } },
  });
  expect(JSON.stringify(shown)).not.toContain('secret');
});

test('the file that is shipped can be read, with questions to start from', async () => {
  const { suggestions, analysis } = await copilotFile([]).read('/nowhere');
  expect(suggestions.map(({ prompt }) => prompt)).toContain(
    'How is this chip, and which qubits need attention?',
  );
  expect(analysis.model).toMatchObject({ provider: 'rules' });
});
