import { expect, test } from 'vitest';
import { explainedInputs, versionsAsInputs } from '../../../../shared/domain/explanations/rules.ts';
import type { ParameterVersion } from '../../../../shared/domain/provenance/model.ts';
import type { StoredParameter } from '../../../../shared/domain/results/model.ts';
import { executionNamed, projectNamed, taskNamed } from '../../../support/ids.ts';

function version(fields: Partial<ParameterVersion>): ParameterVersion {
  return {
    entity_id: 'v',
    parameter_name: 't1',
    qid: '0',
    value: 50,
    value_type: 'float',
    unit: 'µs',
    error: 0,
    version: 1,
    valid_from: '2026-06-01T00:00:00.000Z',
    valid_until: null,
    execution_id: executionNamed('run'),
    task_id: taskNamed('task'),
    task_name: 'CheckT1',
    project_id: projectNamed('prj'),
    chip_id: 'CHIP',
    ...fields,
  };
}

const input: StoredParameter = {
  value: 50,
  value_type: 'float',
  unit: 'µs',
  error: 0,
  description: '',
  calibrated_at: null,
  parameter_name: 't1',
  execution_id: executionNamed('run'),
  task_id: taskNamed('task'),
  qid_role: '',
  required: true,
};

const originOf = (fields: Partial<StoredParameter>, ...used: ParameterVersion[]) =>
  explainedInputs({ input_parameters: { relaxation: { ...input, ...fields } } }, used)[0]?.origin?.entity_id;

test('the origin of an input is the version that the same task wrote', () => {
  const own = version({ entity_id: 'own' });
  expect(originOf({}, own)).toBe('own');
  for (const other of [
    { task_id: taskNamed('repeated') },
    { execution_id: executionNamed('later') },
    { parameter_name: 't2' },
  ]) {
    const foreign = version({ entity_id: 'foreign', ...other });
    expect(originOf({}, foreign), JSON.stringify(other)).toBeUndefined();
    expect(originOf({}, foreign, own)).toBe('own');
  }
});

test('an input without a parameter name has that of the input', () => {
  expect(originOf({ parameter_name: '' }, version({ parameter_name: 'relaxation' }))).toBe('v');
});

test('an input is shown with what is stored of it', () => {
  const found = { error: 1.5, source: 'import', calibrated_at: '2026-06-01T00:00:00.000Z' };
  const shown = (fields: Partial<StoredParameter>) =>
    explainedInputs({ input_parameters: { relaxation: { ...input, ...fields } } }, []);
  const plain = { name: 'relaxation', parameter_name: 't1', value: 50, unit: 'µs', origin: null };
  expect(shown(found)).toEqual([{ ...plain, ...found }]);
  const { error: _, ...without } = input;
  expect(explainedInputs({ input_parameters: { relaxation: without } }, [])).toEqual([
    { ...plain, error: null, source: null, calibrated_at: null },
  ]);
});

test('the versions of an activity without a task are shown as its inputs', () => {
  const used = version({ error: 1.5 });
  expect(versionsAsInputs([used])).toEqual([
    {
      name: 't1',
      parameter_name: 't1',
      value: 50,
      unit: 'µs',
      error: 1.5,
      source: null,
      calibrated_at: '2026-06-01T00:00:00.000Z',
      origin: used,
    },
  ]);
});
