import { describe, expect, test } from 'vitest';
import { type KnownTarget, missingInputsAhead, resolveInputs } from '../../../activities/record/preparing.ts';
import type { StoredParameters } from '../../../shared/domain/results/model.ts';
import type { TaskId } from '../../../shared/kernel/ids.ts';
import { couplingEnds, parameterOf } from '../../../shared/tasks/coupling-roles.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import { taskOf } from '../../support/measured.ts';

/** Values from a task with the given id. */
function stored(values: Record<string, number>, task_id: TaskId): StoredParameters {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      {
        parameter_name: name,
        qid_role: '',
        required: false,
        value,
        value_type: 'float',
        error: 0.1,
        unit: '',
        description: '',
        calibrated_at: '2026-03-01T00:00:00.000Z',
        execution_id: executionNamed('20260301-000'),
        task_id,
      },
    ]),
  );
}

const qubit = {
  qubit_frequency: 8,
  drag_hpi_amplitude: 0.1,
  drag_hpi_length: 16,
  drag_hpi_beta: 0.2,
  readout_frequency: 10,
  readout_amplitude: 0.04,
  // Values of another pair that an older version may have stored with the qubit.
  cr_amplitude: 0.9,
};
const gateValues = {
  cr_amplitude: 0.5,
  cr_phase: 1,
  cancel_amplitude: 0.01,
  cancel_phase: 2,
  cancel_beta: 0,
  rotary_amplitude: 0,
  zx_rotation_rate: 0.0006,
};
const known: KnownTarget = {
  qid: '0-1',
  data: stored(gateValues, taskNamed('pair')),
  control: { qid: '0', data: stored(qubit, taskNamed('control')) },
  target: { qid: '1', data: stored({ ...qubit, qubit_frequency: 9 }, taskNamed('target')) },
};
const planned = { name: '', scope: 'target' as const, run_parameters: {}, input_overrides: {} };
const planOf = (...names: string[]) => names.map((name) => ({ planned, definition: taskOf(name) }));
const resolve = (name: string, of: KnownTarget, input_overrides = {}) =>
  resolveInputs({ planned: { ...planned, input_overrides }, definition: taskOf(name) }, of);

describe('the inputs of a coupling task', () => {
  const { parameters, values, used, problem } = resolve('CreateZX90', known);

  test('come from the qubit of their role, and from the coupling', () => {
    expect(problem).toBeNull();
    expect(values.control_qubit_frequency?.value).toBe(8);
    expect(values.target_qubit_frequency?.value).toBe(9);
    expect(values.cr_amplitude?.value).toBe(0.5);
    expect(parameters.control_qubit_frequency).toMatchObject({
      parameter_name: 'qubit_frequency',
      qid_role: 'control',
      source: 'database',
      task_id: 'control',
    });
    expect(parameters.cr_amplitude).toMatchObject({ parameter_name: 'cr_amplitude', qid_role: 'coupling' });
  });

  test('have the version of their own qubit or coupling', () => {
    expect(used).toContain('qubit_frequency:Q0:20260301-000:control');
    expect(used).toContain('qubit_frequency:Q1:20260301-000:target');
    expect(used).toContain('cr_amplitude:Q0-Q1:20260301-000:pair');
    expect(used).not.toContain('cr_amplitude:Q0:20260301-000:control');
  });

  test('keep the fallback for a readout length that no task measures', () => {
    expect(values.control_readout_length?.value).toBe(384);
    expect(parameters.target_readout_length?.source).toBe('default');
  });

  test('are overridden by their own names', () => {
    const overridden = resolve('CreateZX90', known, { control_qubit_frequency: 8.1 });
    expect(overridden.values.control_qubit_frequency?.value).toBe(8.1);
    expect(overridden.parameters.control_qubit_frequency?.source).toBe('override');
    expect(overridden.used).not.toContain('qubit_frequency:Q0:20260301-000:control');
  });

  test('are missing if the qubit does not have them, even if the coupling has', () => {
    const { qubit_frequency, ...rest } = stored(qubit, taskNamed('control'));
    const without = {
      ...known,
      data: { ...known.data, ...(qubit_frequency && { qubit_frequency }) },
      control: { qid: '0', data: rest },
    };
    expect(resolve('CreateZX90', without).problem).toBe(
      'CreateZX90 needs values that target 0-1 does not have yet: control_qubit_frequency.',
    );
  });
});

describe('a missing input in a list of coupling tasks', () => {
  const blank = { ...known, data: {} };

  test('is not reported if earlier tasks of the list measure it', () => {
    expect(missingInputsAhead(planOf('CheckCrossResonance', 'CreateZX90', 'CheckZX90'), blank)).toBeNull();
  });

  test('is reported if no task of the list measures it for the pair', () => {
    expect(missingInputsAhead(planOf('CreateZX90'), blank)).toBe(
      'CreateZX90 needs values that target 0-1 does not have yet: cr_amplitude, cr_phase, cancel_amplitude, cancel_phase, cancel_beta, rotary_amplitude, zx_rotation_rate.',
    );
  });

  test('is reported once, and not again for later tasks', () => {
    const unmeasured = { ...blank, control: { qid: '0', data: {} } };
    expect(missingInputsAhead(planOf('CheckCrossResonance', 'CreateZX90', 'CheckZX90'), unmeasured)).toBe(
      'CheckCrossResonance needs values that target 0-1 does not have yet: control_qubit_frequency, control_drag_hpi_amplitude, control_drag_hpi_length, control_drag_hpi_beta, control_readout_frequency.',
    );
  });
});

describe('the ends of a coupling', () => {
  test('are its control and its target', () => {
    expect(couplingEnds('12-3')).toEqual({ control: '12', target: '3' });
    for (const id of ['', '1', '1-', '-1', '1-2-3']) expect(couplingEnds(id)).toBeNull();
  });

  test('store a value under its name without the prefix of the role', () => {
    expect(parameterOf('control_t1_average', { from: 'control' })).toBe('t1_average');
    expect(parameterOf('control_amplitude', {})).toBe('control_amplitude');
    expect(parameterOf('cr_amplitude', { from: 'coupling' })).toBe('cr_amplitude');
    expect(parameterOf('anything', { from: 'target', parameter: 't1' })).toBe('t1');
  });
});
