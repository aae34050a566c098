import { expect, test } from 'vitest';
import type { Verdict } from '../../../../shared/domain/ai-reviews/model.ts';
import { reviewNote, verdictMarkdown } from '../../../../shared/domain/ai-reviews/verdict-rules.ts';

const verdict: Verdict = {
  decision: 'REVIEW',
  human_label: 'SUSPICIOUS',
  accepted_parameters: [],
  needs_review: ['t1'],
  primary_reason: 'The curve has\na kink.',
  closest_knowledge_case: '',
  suggested_labels: ['kink'],
  recommended_action: 'Measure again.',
  note: '',
};

test('a verdict is a line for each of its fields, whatever a model wrote into them', () => {
  expect(verdictMarkdown(verdict).split('\n')).toEqual([
    '**AI review**',
    '- Decision: REVIEW',
    '- Human label suggestion: SUSPICIOUS',
    '- Accepted parameter(s): none',
    '- Needs review: t1',
    '- Primary reason: The curve has a kink.',
    '- Closest knowledge case: none',
    '- Suggested labels: kink',
    '- Recommended action: Measure again.',
    '- Optional note: none',
  ]);
});

test('a note has 4,500 characters at most, none of them halved, however long text and model name are', () => {
  const long = { provider: 'openai', name: '🙂'.repeat(200) };
  for (const pad of ['', 'x']) {
    const markdown = verdictMarkdown({ ...verdict, note: pad + '🙂'.repeat(5000) });
    expect(markdown).toMatch(/\n\[truncated\]$/);
    const note = reviewNote(markdown, { ...long, name: pad + long.name }, new Date());
    expect(note.length).toBeLessThanOrEqual(4500);
    expect(note).toMatch(/^## AI review\n\n_Reviewed by: openai\/.+ at \S+Z_\n\n\*\*AI review\*\*\n/);
    // A character that does not fit is left away.
    expect(note).not.toMatch(/[\p{Surrogate}\uFFFD]/u);
  }
});
