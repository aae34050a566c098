import { describe, expect, test } from 'vitest';
import { type GatedTask, gate } from '../../../shared/tasks/gates.ts';

const task: GatedTask = {
  name: 'CheckRabi',
  r2Threshold: 0.6,
  outputs: {
    rabi_frequency: { unit: 'MHz', bounds: { minimum: 0, exclusiveMinimum: true } },
    control_amplitude: { unit: 'a.u.', bounds: { minimum: 0, maximum: 1 } },
    readout_fidelity: { unit: '' },
  },
};

function outputs(values: Record<string, number | null>) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, error: 0.1 }]));
}

describe('the gates', () => {
  test('pass a good result', () => {
    expect(
      gate(task, { outputs: outputs({ rabi_frequency: 12.5, control_amplitude: 1 }), r2: 0.601 }),
    ).toBeNull();
  });

  test.each([
    ['a fidelity of 0', { readout_fidelity: 0 }],
    ['a fidelity of 1', { readout_fidelity: 1 }],
    ['an output at its minimum', { control_amplitude: 0 }],
    ['an output at its maximum', { control_amplitude: 1 }],
    ['the smallest plausible value of a positive quantity', { rabi_frequency: 1e-9 }],
  ])('pass %s', (_, values) => {
    expect(gate(task, { outputs: outputs(values), r2: 1 })).toBeNull();
  });

  test('fail a positive quantity that is too small to have been measured', () => {
    expect(gate(task, { outputs: outputs({ rabi_frequency: 9.99e-10 }), r2: 1 })?.message).toBe(
      'The output rabi_frequency is 9.99e-10 MHz, which is too small to have been measured.',
    );
  });

  test('pass a task without a fit and without r2', () => {
    const noFit: GatedTask = { name: 'Configure', r2Threshold: null, outputs: {} };
    expect(gate(noFit, { outputs: {} })).toBeNull();
  });

  test.each([
    [null, 'The output rabi_frequency has no value.'],
    [Number.NaN, 'The output rabi_frequency is NaN, which is not a finite number.'],
    [Number.NEGATIVE_INFINITY, 'The output rabi_frequency is -Infinity, which is not a finite number.'],
  ])('fail an output of %s', (value, message) => {
    expect(gate(task, { outputs: outputs({ rabi_frequency: value }), r2: 1 })).toEqual({
      rule: 'finite',
      message,
    });
  });

  test('fail an error that is not finite', () => {
    const result = { outputs: { rabi_frequency: { value: 1, error: Number.POSITIVE_INFINITY } }, r2: 1 };
    expect(gate(task, result)).toEqual({
      rule: 'finite',
      message: 'The error of the output rabi_frequency is Infinity, which is not a finite number.',
    });
  });

  test.each([1.02, -0.01])('fail a fidelity of %d', (value) => {
    expect(gate(task, { outputs: outputs({ readout_fidelity: value }), r2: 1 })).toEqual({
      rule: 'fidelity',
      message: `The output readout_fidelity is ${value}, outside of 0 to 1.`,
    });
  });

  test('fail an r2 at the threshold, and say the same numbers', () => {
    expect(gate(task, { outputs: outputs({ rabi_frequency: 1 }), r2: 0.6 })).toEqual({
      rule: 'r2',
      message: 'The fit of CheckRabi is not good enough: r2 0.6 is not above 0.6.',
    });
    expect(gate(task, { outputs: {}, r2: 0.21345 })?.message).toBe(
      'The fit of CheckRabi is not good enough: r2 0.213 is not above 0.6.',
    );
    expect(gate(task, { outputs: {}, r2: 0.5999999999 })?.message).toContain(
      'r2 0.5999999999 is not above 0.6',
    );
  });

  test.each([null, undefined, Number.NaN])('fail an r2 of %s if the task has a fit', (r2) => {
    expect(gate(task, { outputs: outputs({ rabi_frequency: 1 }), r2 })).toEqual({
      rule: 'r2',
      message: 'The fit of CheckRabi has no r2, which must be above 0.6.',
    });
  });

  test('report the reason of a refusal by the analysis, for any r2', () => {
    for (const r2 of [0.99, null]) {
      expect(gate(task, { outputs: {}, r2, refused: 'the oscillation is not resolved' })).toEqual({
        rule: 'fit',
        message: 'The fit of CheckRabi was refused: the oscillation is not resolved.',
      });
    }
  });

  test('fail a result without outputs, or with one that the task does not have', () => {
    expect(gate(task, { outputs: {}, r2: 1 })?.message).toBe(
      'CheckRabi found none of its outputs: rabi_frequency, control_amplitude, readout_fidelity.',
    );
    expect(gate(task, { outputs: outputs({ rabi_frequency: 1, t1: 3 }), r2: 1 })).toEqual({
      rule: 'outputs',
      message: 'CheckRabi has no output named t1.',
    });
  });

  test('fail an output out of its bounds', () => {
    expect(gate(task, { outputs: outputs({ rabi_frequency: 0 }), r2: 1 })).toEqual({
      rule: 'bounds',
      message: 'The output rabi_frequency is 0 MHz, which must be above 0.',
    });
    expect(gate(task, { outputs: outputs({ control_amplitude: -0.5 }), r2: 1 })?.message).toBe(
      'The output control_amplitude is -0.5 a.u., which must be at least 0.',
    );
    expect(gate(task, { outputs: outputs({ control_amplitude: 1.25 }), r2: 1 })?.message).toBe(
      'The output control_amplitude is 1.25 a.u., which must be at most 1.',
    );
  });

  test('are checked in order: finite, fidelity, r2, fit, outputs, bounds', () => {
    const rules: (string | undefined)[] = [];
    let values: Record<string, number | null> = {
      rabi_frequency: 0,
      unknown: 1,
      readout_fidelity: 2,
      control_amplitude: null,
    };
    let result: { r2: number; refused?: string } = { r2: 0.5, refused: 'no oscillation' };
    const ask = () => rules.push(gate(task, { outputs: outputs(values), ...result })?.rule);
    ask();
    values = { ...values, control_amplitude: 1 };
    ask();
    values = { ...values, readout_fidelity: 1 };
    ask();
    result = { ...result, r2: 0.9 };
    ask();
    result = { r2: 0.9 };
    ask();
    values = { rabi_frequency: 0 };
    ask();
    values = { rabi_frequency: 1 };
    ask();
    expect(rules).toEqual(['finite', 'fidelity', 'r2', 'fit', 'outputs', 'bounds', undefined]);
  });
});
