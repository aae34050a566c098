import { expect, test } from 'vitest';
import { findTask, taskCatalog } from '../../../shared/tasks/catalog.ts';
import { judgeCheck } from '../../../shared/tasks/check-judging.ts';
import type { CheckPlan } from '../../../shared/tasks/check-model.ts';
import { planCheck } from '../../../shared/tasks/check-planning.ts';
import { checkedTasks, checkOf } from '../../../shared/tasks/checks.ts';
import { lengthOfNextPass } from '../../../shared/tasks/pass-length.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';

/** Stored values of a usual qubit. */
const values = { t1: 40, t2_echo: 50, t2_star: 20, qubit_frequency: 8 };

function planned(name: string, stored: Record<string, number> = values): CheckPlan | string {
  const [task, form] = [findTask(name), checkOf(name)];
  if (task === undefined || form === undefined) return expect.fail(`${name} has no check form`);
  const { parameters: run } = resolveRunParameters(task, []);
  return planCheck(form, { run, inputs: {}, values: stored });
}

function judged(found: { value: number; error: number }) {
  const task = findTask('CheckT1') ?? expect.fail('there is no CheckT1');
  const plan = { values: { t1: { value: 40, tolerance: 12 } } };
  return judgeCheck(task, plan, { outputs: { t1: found }, r2: 0.99 });
}

test('every check form tests outputs of its task, or values that its task finds', () => {
  for (const name of checkedTasks) {
    const outputs = Object.keys(findTask(name)?.outputs ?? {});
    expect(outputs).toEqual(expect.arrayContaining(Object.keys(checkOf(name)?.tests ?? {})));
  }
});

test('the check of T1 measures eleven or more times around the stored T1, in less than 15 % of the time', () => {
  const plan = planned('CheckT1');
  if (typeof plan === 'string') return expect.fail(plan);
  expect(plan.values).toEqual({ t1: { value: 40, tolerance: 12 } });
  const { value, value_type } = plan.run.time_range ?? {};
  expect(value_type).toBe('np.logspace');
  if (!Array.isArray(value)) return expect.fail('no sweep');
  const [start, stop, count] = value.map(Number);
  expect(10 ** (start ?? 0)).toBeLessThan(0.3 * 40_000);
  expect(10 ** (stop ?? 0)).toBeGreaterThan(40_000);
  expect(count).toBeGreaterThanOrEqual(11);
  const task = findTask('CheckT1') ?? expect.fail('there is no CheckT1');
  const { parameters } = resolveRunParameters(task, []);
  expect(lengthOfNextPass(parameters, plan)).toBeLessThan(0.15);
});

test('a tolerance that is finer than the resolution of the check is widened to it', () => {
  const frequency = (name: string) => {
    const task = findTask(name) ?? expect.fail(`there is no ${name}`);
    const { parameters: run } = resolveRunParameters(task, []);
    const tolerances = { qubit_frequency: { tolerance: 5e-5, of: 'unit' as const } };
    const subject = { run, inputs: {}, values: { ...values, control_amplitude: 0.1 }, tolerances };
    const plan = planCheck(checkOf(name) ?? expect.fail(), subject);
    return typeof plan === 'string' ? plan : plan.values.qubit_frequency?.tolerance;
  };
  expect(frequency('CheckFineChevron')).toBe(2e-4);
  expect(frequency('CheckFineFrequency')).toBe(5e-5);
});

test('phases are compared modulo a turn', () => {
  const task = findTask('CheckCZPhase') ?? expect.fail('there is no CheckCZPhase');
  const stored = { cz_control_phase: 3.1, cz_target_phase: 0 };
  const { parameters: run } = resolveRunParameters(task, []);
  const plan = planCheck(checkOf('CheckCZPhase') ?? expect.fail(), { run, inputs: {}, values: stored });
  if (typeof plan === 'string') return expect.fail(plan);
  const found = (control: number) => ({
    outputs: {
      cz_conditional_phase: { value: 3.14, error: 0.01 },
      cz_control_phase: { value: control, error: 0.01 },
      cz_target_phase: { value: 0.02, error: 0.01 },
    },
    r2: 0.99,
  });
  expect(judgeCheck(task, plan, found(-3.12)).outcome).toBe('in_specification');
  expect(judgeCheck(task, plan, found(-2.8)).outcome).toBe('out_of_specification');
});

test('every task of the one- and two-qubit calibration that finds values can be checked', () => {
  const calibrating = ['1Q Coarse', '1Q Fine', '2Q Calibration'];
  const unchecked = taskCatalog
    .filter(({ category, outputs }) => calibrating.includes(category) && Object.keys(outputs).length > 0)
    .map(({ name }) => name)
    .filter((name) => !checkedTasks.includes(name));
  expect(unchecked).toEqual([]);
});

test('the only calibrating task without a check form has no outputs, and its description names the task that is checked instead', () => {
  const calibrating = ['1Q Coarse', '1Q Fine', '2Q Calibration'];
  const unchecked = taskCatalog.filter(
    ({ name, category }) => calibrating.includes(category) && !checkedTasks.includes(name),
  );
  expect(unchecked).toMatchObject([{ name: 'CheckBellState', outputs: {} }]);
  expect(unchecked[0]?.description).toContain('CheckBellStateTomography finds and checks one');
  expect(checkOf('CheckBellStateTomography')?.tests).toHaveProperty('bell_state_fidelity');
});

test('the check of a CZ pulse sweeps its neighbourhood finely, for longer than the gate, in less than 15 % of the time', () => {
  const stored = { cz_flux_amplitude: 0.3, cz_gate_time: 60, cz_splitting: 20 };
  const plan = planned('CheckCZChevron', stored);
  if (typeof plan === 'string') return expect.fail(plan);
  const [amplitudes, times] = [plan.run.flux_amplitude_range?.value, plan.run.time_range?.value];
  if (!Array.isArray(amplitudes) || !Array.isArray(times)) return expect.fail('no sweep');
  const [from = 0, to = 0, count = 0] = amplitudes.map(Number);
  expect((from + to) / 2).toBeCloseTo(0.3, 9);
  expect((to - from) / (count - 1)).toBeLessThanOrEqual(0.00045);
  expect(Number(times[1])).toBeGreaterThan(1.5 * 60);
  const task = findTask('CheckCZChevron') ?? expect.fail('there is no CheckCZChevron');
  const { parameters } = resolveRunParameters(task, []);
  expect(lengthOfNextPass(parameters, plan)).toBeLessThan(0.15);
});

test('a value that was never measured cannot be checked', () => {
  expect(planned('CheckT1', {})).toBe('There is no stored value to check: t1.');
});

test('a decay with two rates is not checked with few points', () => {
  expect(planned('CheckT1', { ...values, t1_quasiparticles: 1 })).toBe('Its decay has two rates.');
});

test.each([
  ['in_specification', { value: 44, error: 1 }],
  ['in_specification', { value: 54, error: 1 }],
  ['out_of_specification', { value: 56, error: 1 }],
  ['out_of_specification', { value: 20, error: 1 }],
  ['bad_data', { value: 52, error: 10 }],
])('the outcome is %s for a T1 of %o where 40 ± 12 us are stored', (outcome, found) => {
  expect(judged(found).outcome).toBe(outcome);
});

test('a refused fit is bad data, with the message of the gate', () => {
  const task = findTask('CheckT1') ?? expect.fail('there is no CheckT1');
  const plan = { values: { t1: { value: 40, tolerance: 12 } } };
  const verdict = judgeCheck(task, plan, { outputs: {}, r2: 0.1, refused: 'the decay is not resolved' });
  expect(verdict).toMatchObject({ outcome: 'bad_data', findings: {} });
  expect(verdict.reason).toContain('r2 0.1 is not above 0.7');
});
