import { expect, test } from 'vitest';
import { labelOf, parametersOf } from '../../../../shared/domain/calibrations/rules.ts';
import { taskCatalog } from '../../../../shared/tasks/catalog.ts';

const parameters = parametersOf(taskCatalog);

test('a qubit has what tasks of qubits find and need, a coupling what tasks of couplings find', () => {
  expect(parameters.find('qubit', 't1')).toMatchObject({ unit: 'us' });
  expect(parameters.find('coupling', 'zx90_gate_fidelity')).toBeDefined();
  expect(parameters.find('coupling', 't1')).toBeUndefined();
  expect(parameters.find('qubit', 'zx90_gate_fidelity')).toBeUndefined();
});

test('of several tasks the earlier one describes a parameter', () => {
  const described = taskCatalog.filter(({ outputs }) => 't1' in outputs);
  const renamed = described.map((task) => ({
    ...task,
    outputs: Object.fromEntries(
      Object.entries(task.outputs).map(([name, output]) => [name, { ...output, description: 'another' }]),
    ),
  }));
  expect(parametersOf([...described, ...renamed]).find('qubit', 't1')).toEqual(
    parameters.find('qubit', 't1'),
  );
  expect(parametersOf([...renamed, ...described]).find('qubit', 't1')?.description).toBe('another');
});

test('a value is converted to the unit of its parameter, with its error', () => {
  const given = { value: 50_000, error: 2000, unit: 'ns' };
  expect(parameters.inUnit('qubit', 't1', given)).toEqual({ value: 50, error: 2, unit: 'us' });
  expect(parameters.inUnit('qubit', 't1', { value: 50_000, unit: 'ns' })).toEqual({
    value: 50,
    error: null,
    unit: 'us',
  });
  for (const unit of [null, ''])
    expect(parameters.inUnit('qubit', 't1', { value: 50, error: null, unit })).toEqual({
      value: 50,
      error: null,
      unit: 'us',
    });
  expect(parameters.inUnit('qubit', 't1', { value: 50, unit: 'GHz' })).toMatch(/^t1: .*GHz/);
});

test('a parameter that is not known keeps its unit', () => {
  expect(parameters.inUnit('qubit', 'own', { value: 1, error: 2, unit: 'V' })).toEqual({
    value: 1,
    error: 2,
    unit: 'V',
  });
  expect(parameters.inUnit('qubit', 'own', { value: 1, unit: null })).toEqual({
    value: 1,
    error: null,
    unit: '',
  });
});

test('a value must belong to a parameter, be finite and lie within its bounds', () => {
  expect(parameters.problem('qubit', 't1', 50)).toBeNull();
  expect(parameters.problem('qubit', 't1_averag', 50)).toBe(
    'qubits have no parameter t1_averag; did you mean t1_average?',
  );
  expect(parameters.problem('coupling', 'nothing_like_it', 1)).toBe(
    'couplings have no parameter nothing_like_it',
  );
  expect(parameters.problem('qubit', 't1', Number.POSITIVE_INFINITY)).toBe('t1 must be a number');
  const bounded = (bounds: { minimum?: number; maximum?: number; exclusiveMinimum?: boolean }) => {
    const [task] = taskCatalog.filter(({ outputs }) => 't1' in outputs);
    if (!task?.outputs['t1']) throw new Error('No task finds t1.');
    return parametersOf([{ ...task, outputs: { t1: { ...task.outputs['t1'], bounds } } }]);
  };
  expect(bounded({ minimum: 1, maximum: 5 }).problem('qubit', 't1', 6)).toBe(
    't1 must be at least 1 and at most 5 us',
  );
  expect(bounded({ minimum: 0, exclusiveMinimum: true }).problem('qubit', 't1', 0)).toBe(
    't1 must be above 0 us',
  );
  expect(bounded({ maximum: 5 }).problem('qubit', 't1', 6)).toBe('t1 must be at most 5 us');
});

test('all problems of several values are reported together', () => {
  expect(() => parameters.assertValues('qubit', { t1: 50 })).not.toThrow();
  expect(() => parameters.assertValues('qubit', { nothing_like_it: 1, t1: Number.NaN })).toThrow(
    expect.objectContaining({
      code: 'invalid_parameters',
      message: 'qubits have no parameter nothing_like_it. t1 must be a number.',
    }),
  );
});

test('a label has as many digits as the largest chip of that size needs, at least two', () => {
  expect([labelOf('7', 4), labelOf('7', 64), labelOf('7', 144), labelOf('0-12', 64)]).toEqual([
    'Q07',
    'Q07',
    'Q007',
    'Q00-Q12',
  ]);
});
