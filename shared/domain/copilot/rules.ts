import type { Verdict } from '../ai-reviews/model.ts';
import { RULES_PROVIDER } from '../language-models/model.ts';
import type { Analysis } from './model.ts';

const assessments = { PASS: 'good', PASS_WITH_NOTE: 'warning', REVIEW: 'warning', FAIL: 'bad' } as const;

/** Converts a verdict of the built-in rules to the format of an analysis. */
export function analysisOf(verdict: Verdict): Analysis {
  const { decision, primary_reason, note, recommended_action, suggested_labels } = verdict;
  return {
    summary: `${decision}: ${primary_reason}`,
    assessment: assessments[decision],
    explanation: [`Judged by the rules that are built in (provider ${RULES_PROVIDER}).`, note]
      .filter(Boolean)
      .join(' '),
    potential_issues: suggested_labels,
    recommendations: [recommended_action],
  };
}

/** Number of context lines around a change in a diff. */
const CONTEXT = 3;

/** A unified diff with one hunk from the first to the last differing line; empty if the texts are equal. */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return '';
  const [old, fresh] = [before, after].map((text) =>
    text === '' ? [] : text.replace(/\n$/, '').split('\n'),
  );
  if (!old || !fresh) return '';
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT);
  const behind = Math.min(tail, CONTEXT);
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + behind).map((line) => ` ${line}`),
  ];
  const range = (text: readonly string[]) => {
    const count = text.length - tail + behind - from;
    return `${count === 0 ? from : from + 1},${count}`;
  };
  return [`--- a/${file}`, `+++ b/${file}`, `@@ -${range(old)} +${range(fresh)} @@`, ...lines, ''].join('\n');
}
