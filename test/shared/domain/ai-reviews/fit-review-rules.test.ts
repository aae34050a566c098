import { expect, test } from 'vitest';
import { type Evidence, reviewByRules } from '../../../../shared/domain/ai-reviews/fit-review-rules.ts';
import { storedParameter } from '../../../../shared/domain/results/model.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';

const t1 = findTask('CheckT1');
const stored = (value: number, error: number) => storedParameter.parse({ value, error });

/** Points around a decay and the curve through them. */
function decay(distort: (x: number) => number): Evidence['figure'] {
  const x = Array.from({ length: 40 }, (_, index) => index * 5);
  const curve = x.map((each) => Math.exp(-each / 40));
  return {
    data: [
      {
        type: 'scatter',
        mode: 'markers',
        name: 'data',
        x,
        y: curve.map((y, index) => y + (index % 2 === 0 ? 0.01 : -0.01) + distort(x[index] ?? 0)),
      },
      { type: 'scatter', mode: 'lines', name: 'fit', x, y: curve },
    ],
    layout: {
      title: { text: '' },
      xaxis: { title: { text: 'Delay (μs)' } },
      yaxis: { title: { text: 'Population' } },
      width: 400,
      height: 300,
    },
  };
}

function evidence(changes: Partial<Evidence> = {}, value = 40): Evidence {
  if (!t1) throw new Error('no such task');
  return {
    task: t1,
    result: {
      status: 'completed',
      message: 'CheckT1 is completed.',
      output_parameters: { t1: stored(value, 0.5) },
      quality_metrics: { r2: 0.99 },
    },
    figure: decay(() => 0),
    history: { t1: [39, 41, 40.5, 38.5] },
    ...changes,
  };
}

test('a result with a good fit, white residuals and a steady history passes, the same every time', () => {
  const verdict = reviewByRules(evidence());
  expect(verdict).toMatchObject({
    decision: 'PASS',
    human_label: 'CORRECT',
    accepted_parameters: ['t1'],
    needs_review: [],
  });
  for (let round = 0; round < 5; round++) expect(reviewByRules(evidence())).toEqual(verdict);
});

test('a value that jumped, beyond what it varies by, is to be looked at', () => {
  expect(reviewByRules(evidence({}, 12))).toMatchObject({
    decision: 'REVIEW',
    human_label: 'SUSPICIOUS',
    needs_review: ['t1'],
    suggested_labels: ['step'],
    primary_reason: expect.stringContaining('jumped from 39.75 to 12'),
  });
  expect(reviewByRules(evidence({ history: { t1: [40, 400] } }, 12)).decision).toBe('PASS');
});

test('a curve that does not follow the data is to be looked at, a single outlier is noted', () => {
  const bent = reviewByRules(evidence({ figure: decay((x) => 0.2 * Math.sin(x / 40)) }));
  expect(bent).toMatchObject({ decision: 'REVIEW', suggested_labels: ['bad_fit'] });
  const outlier = reviewByRules(evidence({ figure: decay((x) => (x === 100 ? 0.5 : 0)) }));
  expect(outlier).toMatchObject({ decision: 'PASS_WITH_NOTE', suggested_labels: ['outlier'] });
});

test('a value at the edge of the sweep is to be looked at', () => {
  expect(reviewByRules(evidence({ history: {} }, 194))).toMatchObject({
    decision: 'REVIEW',
    suggested_labels: ['edge'],
    primary_reason: expect.stringContaining('edge of the sweep'),
  });
});

test('a fit that is barely good enough passes with a note', () => {
  const { result } = evidence();
  const threshold = t1?.r2Threshold ?? 0;
  const barely = { ...result, quality_metrics: { r2: threshold + 0.01 } };
  expect(reviewByRules(evidence({ result: barely }))).toMatchObject({
    decision: 'PASS_WITH_NOTE',
    suggested_labels: ['weak_fit'],
  });
});

test('a result without a value fails: no signal, or a fit that was refused', () => {
  const { result } = evidence();
  const empty = { ...result, status: 'failed' as const, output_parameters: {} };
  const none = { ...empty, message: 'no line was found', quality_metrics: {} };
  expect(reviewByRules(evidence({ result: none }))).toMatchObject({
    decision: 'FAIL',
    human_label: 'NO_SIGNAL',
    suggested_labels: ['no_signal'],
  });
  const refused = { ...empty, message: 'The fit of CheckT1 is not good enough: r2 0.2 is not above 0.7.' };
  expect(reviewByRules(evidence({ result: refused }))).toMatchObject({
    decision: 'FAIL',
    human_label: 'ANOMALY',
  });
});

test('a qubit spectroscopy without a frequency has no signal, whatever else it says', () => {
  const { result } = evidence();
  const [other] = Object.values(result.output_parameters);
  const of = (name: string) => ({
    task: { name: 'CheckQubitSpectroscopy', r2Threshold: null, outputs: {} },
    result: {
      ...result,
      message: 'The fit of the line did not end.',
      quality_metrics: { r2: 0.2 },
      output_parameters: other ? { [name]: other } : {},
    },
    figure: null,
    history: {},
  });
  expect(reviewByRules(of('f01_repr_db'))).toMatchObject({
    decision: 'FAIL',
    human_label: 'NO_SIGNAL',
    accepted_parameters: [],
    needs_review: [],
    suggested_labels: ['no_signal'],
  });
  for (const name of ['coarse_qubit_frequency', 'f01_frequency_ghz']) {
    expect(reviewByRules(of(name))).toMatchObject({ decision: 'PASS', accepted_parameters: [name] });
  }
});
