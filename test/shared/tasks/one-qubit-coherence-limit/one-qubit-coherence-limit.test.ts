import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import type { AnalysedInput } from '../../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { resolveRunParameters } from '../../../../shared/tasks/run-parameters.ts';
import { taskOf } from '../../../support/measured.ts';

const task = taskOf('Check1QGateCoherenceLimit');
const us = (value: number, error?: number): AnalysedInput => ({
  value,
  value_type: 'float',
  unit: 'us',
  error,
});

function limit(inputs: Record<string, AnalysedInput>, run: Record<string, unknown> = {}) {
  return analyse({
    task,
    qid: '4',
    dataset: { dims: {}, coordinates: {}, variables: {} },
    inputs,
    runParameters: resolveRunParameters(task, [run]).parameters,
  });
}

function limitOf(t1: number, t2: number, duration: number): number {
  const analysis = limit({ t1_average: us(t1), t2_echo_average: us(t2) }, { drag_hpi_duration: duration });
  return analysis.outputs.one_qubit_gate_coherence_limit?.value ?? Number.NaN;
}

describe('Check1QGateCoherenceLimit', () => {
  test('is computed, not measured', () => {
    expect(task.kind).toBe('computed');
    expect(task.r2Threshold).toBeNull();
  });

  test('is 1 − (3 − 2 e^(−t/T2) − e^(−t/T1)) / 6', () => {
    for (const [t1, t2, t] of [
      [50, 40, 16],
      [5, 3, 24],
      [110, 60, 100],
    ] as const) {
      const expected = 1 - (3 - 2 * Math.exp(-t / 1000 / t2) - Math.exp(-t / 1000 / t1)) / 6;
      expect(limitOf(t1, t2, t)).toBeCloseTo(expected, 13);
    }
  });

  test('includes the errors of both times', () => {
    const analysis = limit({ t1_average: us(50, 4), t2_echo_average: us(40, 3) });
    const step = 1e-3;
    const byT1 = (limitOf(50 + step, 40, 16) - limitOf(50 - step, 40, 16)) / (2 * step);
    const byT2 = (limitOf(50, 40 + step, 16) - limitOf(50, 40 - step, 16)) / (2 * step);
    const { error } = analysis.outputs.one_qubit_gate_coherence_limit ?? expect.fail('no limit');
    expect(error / Math.hypot(4 * byT1, 3 * byT2)).toBeCloseTo(1, 4);
    expect(gate(task, analysis)).toBeNull();
  });

  test('is in [0, 1] and falls with the length of the gate, for any times', () => {
    const time = fc.double({ min: 0.5, max: 1e5, noNaN: true });
    fc.assert(
      fc.property(time, time, fc.double({ min: 1, max: 1000, noNaN: true }), (t1, t2, duration) => {
        const value = limitOf(t1, t2, duration);
        expect(value).toBeGreaterThanOrEqual(0.5);
        expect(value).toBeLessThanOrEqual(1);
        expect(limitOf(t1, t2, 2 * duration)).toBeLessThan(value);
      }),
      { seed: 1 },
    );
  });

  test('draws the limit against the length of the gate, with this gate marked', () => {
    const { figures } = limit({ t1_average: us(50, 4), t2_echo_average: us(40, 3) });
    const [drawn] = figures;
    expect(figure.parse(drawn)).toEqual(drawn);
    expect(drawn?.layout.title.text).toMatch(
      /^Check1QGateCoherenceLimit · qubit 4 · F = 0\.99\d+ ± 0\.0\d+$/,
    );
    expect(drawn?.data[0]?.x).toHaveLength(200);
    expect(drawn?.data[0]?.x.at(-1)).toBe(48);
    expect(drawn?.data[1]?.x).toEqual([16]);
  });

  test('refuses missing times and lengths in a single message', () => {
    expect(limit({}, { drag_hpi_duration: 0 }).refused).toBe(
      'it needs numbers above 0 for t1_average and t2_echo_average and drag_hpi_duration',
    );
    expect(limit({ t1_average: us(50), t2_echo_average: us(0) }).refused).toBe(
      'it needs numbers above 0 for t2_echo_average',
    );
  });
});
