import { describe, expect, test } from 'vitest';
import { findTask, taskCatalog, taskNames } from '../../../shared/tasks/catalog.ts';
import { SIMULATOR_BACKEND } from '../../../shared/tasks/model.ts';
import { runOptionProblems } from '../../../shared/tasks/run-options.ts';
import { readValue, resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { boxSetupSimulation, pairSimulation, qubitSimulation } from '../../../shared/tasks/simulations.ts';

describe('the task catalog', () => {
  test('finds every task by its name and nothing by another', () => {
    expect(new Set(taskNames()).size).toBe(taskCatalog.length);
    for (const task of taskCatalog) expect(findTask(task.name)).toBe(task);
    for (const name of ['', 'checkrabi', 'toString', '__proto__']) expect(findTask(name)).toBeUndefined();
  });

  test.each(taskCatalog)('$name describes every parameter, with a known unit', (task) => {
    expect(task.name).toMatch(/^[A-Z][A-Za-z0-9]+$/);
    expect(task.description).toMatch(/\.$/);
    const parameters = [task.inputs, task.runParameters, task.outputs].flatMap((group) =>
      Object.entries(group),
    );
    for (const [name, { description, unit }] of parameters) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(description).not.toBe('');
      const units = ['', 'GHz', 'MHz', 'MHz/a.u.', 'ns', 'us', 's', 'a.u.', 'degree', 'dB', 'mK'];
      expect(units).toContain(unit);
    }
  });

  test.each(taskCatalog)('$name has default run parameters that can be used', (task) => {
    const { parameters, problems } = resolveRunParameters(task, []);
    expect(problems).toEqual([]);
    expect(Object.keys(parameters)).toEqual(Object.keys(task.runParameters));
  });

  test.each(taskCatalog)('$name limits every number and sweep, and its defaults keep the limits', (task) => {
    for (const [name, { valueType, bounds }] of Object.entries(task.runParameters)) {
      if (!['str', 'list', 'bool'].includes(valueType)) expect(bounds, name).toBeDefined();
    }
    expect(runOptionProblems(task, resolveRunParameters(task, []).parameters)).toEqual([]);
  });

  test.each([
    [
      'CheckT1',
      { time_range: { value: [-4, 4, 9], value_type: 'np.linspace' } },
      /time_range of CheckT1 is -4; it must be at least 0/,
    ],
    [
      'CheckQubitSpectroscopy',
      { power_range: [-60, 30, 5] },
      /power_range .* must be at least -120 and at most 0/,
    ],
    [
      'CheckQubitSpectroscopy',
      { band: 'lwo' },
      /band of CheckQubitSpectroscopy is "lwo"; it must be high or low/,
    ],
    [
      'CheckResonatorSpectroscopy',
      { bare_shift_estimator_type: 'guess' },
      /must be high_frequency_strength or config/,
    ],
  ])('%s refuses %o before anything is measured', (name, given, message) => {
    const task = findTask(name) ?? expect.fail(name);
    const { parameters, problems } = resolveRunParameters(task, [given]);
    expect(problems).toEqual([]);
    expect(runOptionProblems(task, parameters).join(' ')).toMatch(message);
  });

  test.each(taskCatalog)('$name has fallbacks and bounds that agree', (task) => {
    for (const { fallback, valueType, bounds = {} } of Object.values(task.inputs)) {
      if (fallback === undefined) continue;
      expect(readValue(fallback, valueType).ok).toBe(true);
      expect(fallback).toBeGreaterThanOrEqual(bounds.minimum ?? Number.NEGATIVE_INFINITY);
      expect(fallback).toBeLessThanOrEqual(bounds.maximum ?? Number.POSITIVE_INFINITY);
    }
    expect(task.timeout).toBeGreaterThan(0);
    // Null for tasks without a fit.
    expect(task.r2Threshold ?? 0.5).toBeGreaterThan(0);
    expect(task.r2Threshold ?? 0.5).toBeLessThan(1);
  });

  test('are measured by the simulator, except for computed ones', () => {
    for (const task of taskCatalog) {
      if (!task.backends.includes(SIMULATOR_BACKEND)) continue;
      const simulations = [boxSetupSimulation, pairSimulation, qubitSimulation].map((of) => of(task.name));
      const found = simulations.filter((simulation) => simulation !== undefined);
      expect(found).toHaveLength(task.kind === 'measured' ? 1 : 0);
    }
  });

  test('keeps the numbers of the specification for CheckRabi and CheckT1', () => {
    const rabi = findTask('CheckRabi');
    expect(rabi?.r2Threshold).toBe(0.6);
    expect(rabi?.runParameters.time_range?.value).toEqual([0, 401, 8]);
    expect(rabi?.runParameters.shots?.value).toBe(2048);
    expect(rabi?.runParameters.interval?.value).toBe(150 * 1024);
    expect(rabi?.inputs.control_amplitude?.fallback).toBe(0.0125);
    expect(Object.keys(rabi?.outputs ?? {})).toEqual([
      'rabi_amplitude',
      'rabi_frequency',
      'rabi_phase',
      'rabi_offset',
      'rabi_angle',
      'rabi_noise',
      'rabi_distance',
      'rabi_reference_phase',
      'control_amplitude',
      'maximum_rabi_frequency',
    ]);
    const t1 = findTask('CheckT1');
    expect(t1?.r2Threshold).toBe(0.7);
    expect(t1?.runParameters.time_range).toMatchObject({
      value: [2, Math.log10(5e5), 51],
      valueType: 'np.logspace',
    });
    expect(t1?.runParameters.shots?.value).toBe(1024);
    expect(t1?.outputs.t1?.unit).toBe('us');
  });
});
