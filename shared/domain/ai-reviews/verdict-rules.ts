import { beginning } from '../../kernel/text.ts';
import type { Verdict } from './model.ts';

/** Maximum length of a review's text in characters. */
const MARKDOWN_LIMIT = 4300;
/** Maximum length in characters of the model's name in the note, whose own limit is 4,500. */
const MODEL_LIMIT = 120;

const listed = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : 'none');
/** Collapses a text to one line, so that a model cannot add lines to the block. */
const line = (text: string) => text.replace(/\s+/g, ' ').trim() || 'none';

/** A verdict in the line format that clients read. */
export function verdictMarkdown(verdict: Verdict): string {
  const lines = [
    ['Decision', verdict.decision],
    ['Human label suggestion', verdict.human_label],
    ['Accepted parameter(s)', listed(verdict.accepted_parameters)],
    ['Needs review', listed(verdict.needs_review)],
    ['Primary reason', verdict.primary_reason],
    ['Closest knowledge case', verdict.closest_knowledge_case],
    ['Suggested labels', listed(verdict.suggested_labels)],
    ['Recommended action', verdict.recommended_action],
    ['Optional note', verdict.note],
  ];
  const text = ['**AI review**', ...lines.map(([name, value = '']) => `- ${name}: ${line(value)}`)].join(
    '\n',
  );
  return text.length > MARKDOWN_LIMIT ? `${beginning(text, MARKDOWN_LIMIT)}\n[truncated]` : text;
}

/** The note of a result that holds its newest review. */
export function reviewNote(markdown: string, model: { provider: string; name: string }, at: Date): string {
  const name = beginning(`${model.provider}/${model.name}`, MODEL_LIMIT);
  return `## AI review\n\n_Reviewed by: ${name} at ${at.toISOString()}_\n\n${markdown}`;
}

/** Restricts a verdict to outputs that the result has; other names given by a model are dropped. */
export function aboutOutputs(verdict: Verdict, outputs: readonly string[]): Verdict {
  const known = (names: readonly string[]) => names.filter((name) => outputs.includes(name));
  return {
    ...verdict,
    accepted_parameters: known(verdict.accepted_parameters),
    needs_review: known(verdict.needs_review),
  };
}
