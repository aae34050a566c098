import { expect, test } from 'vitest';
import type { Verdict } from '../../../../shared/domain/ai-reviews/model.ts';
import { figureInNumbers } from '../../../../shared/domain/copilot/figure-rules.ts';
import { analysisOf, unifiedDiff } from '../../../../shared/domain/copilot/rules.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';

const verdict: Verdict = {
  decision: 'PASS',
  human_label: 'CORRECT',
  accepted_parameters: ['t1'],
  needs_review: [],
  primary_reason: 'The fit is good.',
  closest_knowledge_case: '',
  suggested_labels: ['short_t1'],
  recommended_action: 'Go on.',
  note: '',
};

test('a verdict of the built-in rules is shown as an analysis', () => {
  expect(analysisOf(verdict)).toEqual({
    summary: 'PASS: The fit is good.',
    assessment: 'good',
    explanation: 'Judged by the rules that are built in (provider rules).',
    potential_issues: ['short_t1'],
    recommendations: ['Go on.'],
  });
  expect(analysisOf({ ...verdict, note: 'It drifts.' }).explanation).toMatch(
    /\(provider rules\)\. It drifts\.$/,
  );
});

test.each([
  ['PASS_WITH_NOTE', 'warning'],
  ['REVIEW', 'warning'],
  ['FAIL', 'bad'],
] as const)('%s is %s', (decision, assessment) => {
  expect(analysisOf({ ...verdict, decision }).assessment).toBe(assessment);
});

const text = (...lines: (string | number)[]) => `${lines.join('\n')}\n`;
const hunk = (...lines: string[]) => ['--- a/f.ts', '+++ b/f.ts', ...lines, ''].join('\n');

test('equal texts differ in nothing', () => {
  expect(unifiedDiff('a\n', 'a\n', 'f.ts')).toBe('');
});

test('a change is shown with three lines around it', () => {
  const [old, fresh] = [text(1, 2, 3, 4, 5, 6, 7, 8, 9), text(1, 2, 3, 4, 'x', 6, 7, 8, 9)];
  expect(unifiedDiff(old, fresh, 'f.ts')).toBe(
    hunk('@@ -2,7 +2,7 @@', ' 2', ' 3', ' 4', '-5', '+x', ' 6', ' 7', ' 8'),
  );
});

test('lines are inserted between equal ones, and deleted', () => {
  const [short, long] = [text('a', 'a'), text('a', 'a', 'a')];
  expect(unifiedDiff(short, long, 'f.ts')).toBe(hunk('@@ -1,2 +1,3 @@', ' a', ' a', '+a'));
  expect(unifiedDiff(long, short, 'f.ts')).toBe(hunk('@@ -1,3 +1,2 @@', ' a', ' a', '-a'));
  expect(unifiedDiff(text('a', 'b'), text('b'), 'f.ts')).toBe(hunk('@@ -1,2 +1,1 @@', '-a', ' b'));
});

test('a text may be empty', () => {
  expect(unifiedDiff('', 'a\n', 'f.ts')).toBe(hunk('@@ -0,0 +1,1 @@', '+a'));
  expect(unifiedDiff('a\n', '', 'f.ts')).toBe(hunk('@@ -1,1 +0,0 @@', '-a'));
});

const axis = (title: string) => ({ title: { text: title } });
const figureOf = (data: Figure['data']): Figure => ({
  data,
  layout: {
    title: axis('T1').title,
    xaxis: axis('delay'),
    yaxis: axis('signal'),
    width: 100,
    height: 100,
  },
});
const count = (length: number) => Array.from({ length }, (_, index) => index);

test('a short line is given as it is, with its extremes', () => {
  expect(figureInNumbers(figureOf([{ type: 'scatter', name: 'data', x: [0, 1, 2], y: [5, -3, 4] }]))).toEqual(
    {
      title: 'T1',
      x: 'delay',
      y: 'signal',
      traces: [{ name: 'data', type: 'scatter', x: [0, 1, 2], y: [5, -3, 4], smallest: -3, largest: 5 }],
    },
  );
});

test('a line is thinned evenly to 60 points, its ends included', () => {
  const line = { type: 'scatter' as const, name: 'data', x: count(119), y: count(119) };
  const [trace] = figureInNumbers(figureOf([line])).traces;
  expect(trace?.x).toEqual(count(60).map((index) => 2 * index));
  const [whole] = figureInNumbers(figureOf([{ ...line, x: count(60), y: count(60) }])).traces;
  expect(whole?.x).toEqual(count(60));
});

test('a map is thinned to 16 cells along each axis, with the extremes of all its cells', () => {
  const z = count(31).map((row) =>
    count(31).map((column) => (row === 1 && column === 1 ? null : row * column)),
  );
  const [trace] = figureInNumbers(
    figureOf([{ type: 'heatmap', name: 'map', x: count(31), y: count(31), z }]),
  ).traces;
  const kept = count(16).map((index) => 2 * index);
  expect(trace).toMatchObject({ x: kept, y: kept, smallest: 0, largest: 900 });
  expect(trace?.z).toEqual(kept.map((row) => kept.map((column) => row * column)));
});

test('without values there are no extremes, and at most 20 traces are given', () => {
  const empty = { type: 'scatter' as const, name: 'data', x: [], y: [] };
  const { traces } = figureInNumbers(figureOf(Array.from({ length: 21 }, () => empty)));
  expect(traces).toHaveLength(20);
  expect(traces[0]).not.toHaveProperty('smallest');
  const [level] = figureInNumbers(figureOf([{ ...empty, x: [0], y: [3] }])).traces;
  expect(level).toMatchObject({ smallest: 3, largest: 3 });
});
