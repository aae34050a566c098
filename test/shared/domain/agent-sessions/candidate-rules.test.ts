import { expect, test } from 'vitest';
import {
  candidatesOf,
  commitOf,
  committedRecord,
  isNewer,
} from '../../../../shared/domain/agent-sessions/candidate-rules.ts';
import type { TaskResultDocument } from '../../../../shared/domain/results/model.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';
import { taskNamed } from '../../../support/ids.ts';
import { measuredOutput, storedTask } from '../../../support/stored-results.ts';

const project = newProjectId();
const policy = {
  qids: ['0'],
  allowed_actions: [],
  allowed_tasks: ['CheckT1'],
  allowed_overrides: { t1: { minimum: 10, maximum: 100 } },
  quality_gates: { r2: { minimum: 0.9, maximum: null } },
  allow_reconfigure: false,
  max_actions: 5,
};
const of = { session_id: 'ses_1', action_id: 'act_1', policy };
const definition = findTask('CheckT1');
const resultWith = (fields: Partial<TaskResultDocument> = {}) =>
  storedTask(
    project,
    { id: 'usr_mia', username: 'mia' },
    { task_id: taskNamed('a'), output_parameters: { t1: measuredOutput('t1', 50) }, ...fields },
  );
const verdictOf = (fields: Partial<TaskResultDocument>, task = definition) => {
  const [{ accepted, reason } = { accepted: null, reason: null }] = candidatesOf(
    of,
    resultWith(fields),
    task,
  );
  return { accepted, reason };
};

test('a number within the policy is a candidate that may be committed', () => {
  expect(candidatesOf(of, resultWith({ quality_metrics: { r2: 0.98, bad: null } }), definition)).toEqual([
    {
      session_id: 'ses_1',
      action_id: 'act_1',
      execution_id: resultWith().execution_id,
      task_id: 'a',
      task_name: 'CheckT1',
      qid: '0',
      source_parameter_name: 't1',
      parameter_name: 't1',
      value: 50,
      error: 0.5,
      unit: 'us',
      value_type: 'float',
      quality_metrics: { r2: 0.98 },
      accepted: true,
      reason: '',
      minimum: 10,
      maximum: 100,
    },
  ]);
});

test('a value outside the policy is a candidate with the reason against it', () => {
  expect(verdictOf({ output_parameters: { t1: measuredOutput('t1', 101) } })).toEqual({
    accepted: false,
    reason: "t1 is 101; the session's policy wants at least 10 and at most 100.",
  });
});

test.each<[Partial<TaskResultDocument>, string]>([
  [{ excluded: true }, 'Somebody excluded this result from the metrics.'],
  [
    { quality_metrics: { r2: 0.89 } },
    "The quality metric r2 is 0.89; the session's policy wants at least 0.9.",
  ],
])('no value of a result is accepted that others would not use: %j', (fields, reason) => {
  expect(verdictOf(fields)).toEqual({ accepted: false, reason });
});

test('a task that the catalog no longer has yields nothing to commit', () => {
  expect(candidatesOf(of, resultWith(), undefined)).toMatchObject([
    { accepted: false, reason: 'There is no task CheckT1 in the catalog.' },
  ]);
});

test('the gates of the task are applied again', () => {
  const { accepted, reason } = verdictOf({ quality_metrics: { r2: 0.1 } });
  expect(accepted).toBe(false);
  expect(reason).not.toBe('');
});

test('only finite numbers are candidates, sorted by name', () => {
  const output_parameters = {
    t1: measuredOutput('t1', 50),
    label: measuredOutput('label', 'x'),
    far: measuredOutput('far', Number.POSITIVE_INFINITY),
    a: { ...measuredOutput('', 1), error: null, value_type: '' },
  };
  expect(candidatesOf(of, resultWith({ output_parameters }), definition)).toMatchObject([
    { source_parameter_name: 'a', parameter_name: 'a', error: 0, value_type: 'float' },
    { source_parameter_name: 't1', error: 0.5 },
  ]);
});

test('a committed value keeps its record and carries its commit', () => {
  const [candidate] = candidatesOf(of, resultWith(), definition);
  if (!candidate) throw new Error('There is no candidate.');
  const committed = committedRecord(candidate, resultWith(), 'com_1');
  expect(committed).toEqual({
    parameter_name: 't1',
    qid_role: '',
    required: false,
    source: null,
    value: 50,
    value_type: 'float',
    error: 0.5,
    unit: 'us',
    description: 'Relaxation time',
    calibrated_at: '2026-01-02T03:05:00.000Z',
    execution_id: resultWith().execution_id,
    task_id: 'a',
    agent_commit_id: 'com_1',
  });
  expect(commitOf(committed)).toBe('com_1');
  const without = committedRecord(candidate, resultWith({ output_parameters: {} }), 'com_1');
  expect(without).toMatchObject({
    qid_role: '',
    error: null,
    description: '',
    calibrated_at: '2026-01-02T03:05:15.678Z',
  });
  const open = resultWith({ output_parameters: {}, end_at: null });
  expect(committedRecord(candidate, open, 'com_1').calibrated_at).toBeNull();
});

test('a value that no agent committed has no commit', () => {
  for (const record of [null, undefined, measuredOutput('t1', 1)]) expect(commitOf(record)).toBeNull();
});

test('a value is newer if it was found later', () => {
  const [older, newer] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((at) =>
    measuredOutput('t1', 1, at),
  );
  if (!older || !newer) throw new Error('There are two.');
  expect([isNewer(newer, older), isNewer(older, newer), isNewer(older, older)]).toEqual([true, false, false]);
  const timeless = { ...older, calibrated_at: null };
  expect([isNewer(null, older), isNewer(timeless, older), isNewer(newer, timeless)]).toEqual([
    false,
    false,
    false,
  ]);
});
