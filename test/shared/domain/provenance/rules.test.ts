import { describe, expect, test } from 'vitest';
import type { Lineage, LineageNode, ParameterVersion } from '../../../../shared/domain/provenance/model.ts';
import {
  byParameterAndTarget,
  differenceOf,
  edgesOfActivity,
  edgesOfVersion,
  isNumberedExactly,
  recommendationsFrom,
  relationKey,
  targetOfQid,
  worseningStreak,
} from '../../../../shared/domain/provenance/rules.ts';
import { executionNamed, projectNamed, taskNamed } from '../../../support/ids.ts';

const execution_id = executionNamed('20261121-000');
const task_id = taskNamed('x');
const project_id = projectNamed('p');

test('a stored target has its own name back', () => {
  expect([targetOfQid('Q0'), targetOfQid('Q0-Q12')]).toEqual(['0', '0-12']);
});

test('numbers beyond those that a double holds exactly are not numbers of qubits', () => {
  expect(isNumberedExactly('Q12-Q3')).toBe(true);
  expect(isNumberedExactly('all')).toBe(true);
  expect(isNumberedExactly('Q9007199254740991')).toBe(true);
  expect(isNumberedExactly('Q0-Q9007199254740993')).toBe(false);
});

describe('edges', () => {
  const version = { entity_id: 'e2', task_name: 'CheckT1', execution_id, task_id };
  const generated = {
    relation_type: 'wasGeneratedBy',
    source_id: 'e2',
    target_id: 'activity:CheckT1:20261121-000:x',
  };

  test('of a version lead to its activity, and to the version before it', () => {
    expect(edgesOfVersion({ ...version, previous: 'e1' })).toEqual([
      generated,
      { relation_type: 'wasDerivedFrom', source_id: 'e2', target_id: 'e1' },
    ]);
    expect(edgesOfVersion({ ...version, previous: null })).toEqual([generated]);
  });

  test('of an activity lead to what it used', () => {
    expect(edgesOfActivity({ activity_id: 'a', used: ['e1', 'e2'] })).toEqual([
      { relation_type: 'used', source_id: 'a', target_id: 'e1' },
      { relation_type: 'used', source_id: 'a', target_id: 'e2' },
    ]);
    expect(edgesOfActivity({ activity_id: 'a', used: [] })).toEqual([]);
  });

  test('are unknown where a version or an activity does not have them', () => {
    expect(edgesOfVersion(version)).toBeNull();
    expect(edgesOfActivity({ activity_id: 'a' })).toBeNull();
  });

  test('differ in their keys by type, source and target', () => {
    const edge = { relation_type: 'used', source_id: 'a', target_id: 'b' } as const;
    const others = [
      { ...edge, relation_type: 'wasDerivedFrom' as const },
      { ...edge, source_id: 'c' },
      { ...edge, target_id: 'c' },
    ];
    expect(new Set([edge, ...others].map(relationKey)).size).toBe(4);
  });
});

test('parameters are sorted by name, then by the numbers of their qubits', () => {
  const sorted = [
    ['t1', 'Q10'],
    ['t1', 'Q2'],
    ['t1', 'Q2-Q10'],
    ['t1', 'Q2-Q9'],
    ['a', 'Q30'],
    ['t1', 'other'],
  ]
    .map(([parameter_name = '', qid = '']) => ({ parameter_name, qid }))
    .sort(byParameterAndTarget)
    .map(({ parameter_name, qid }) => `${parameter_name} ${qid}`);
  expect(sorted.filter((each) => each !== 't1 other')).toEqual([
    'a Q30',
    't1 Q2',
    't1 Q2-Q9',
    't1 Q2-Q10',
    't1 Q10',
  ]);
  expect(byParameterAndTarget({ parameter_name: 'a', qid: 'x' }, { parameter_name: 'a', qid: 'x' })).toBe(0);
});

test.each([
  [4, 5, { delta: 1, delta_percent: 25 }],
  [-4, -5, { delta: -1, delta_percent: -25 }],
  [-4, 4, { delta: 8, delta_percent: 200 }],
  [0, 2, { delta: 2, delta_percent: null }],
  ['a', 2, { delta: null, delta_percent: null }],
  [2, null, { delta: null, delta_percent: null }],
] as const)('from %s to %s the difference is %o', (before, after, difference) => {
  expect(differenceOf(before, after)).toEqual(difference);
});

describe('a streak of values that become worse', () => {
  test('ends with the newest value, oldest first', () => {
    expect(worseningStreak([1, 2, 3, 2], 'maximize')).toEqual({ count: 2, values: [3, 2, 1] });
    expect(worseningStreak([3, 2, 1, 2], 'minimize')).toEqual({ count: 2, values: [1, 2, 3] });
  });

  test('ends at an equal value, at a better one and at a text', () => {
    expect(worseningStreak([1, 1, 2], 'maximize')).toEqual({ count: 0, values: [1] });
    expect(worseningStreak([2, 2, 1], 'minimize')).toEqual({ count: 0, values: [2] });
    expect(worseningStreak([1, 2, 'x', 4], 'maximize')).toEqual({ count: 1, values: [2, 1] });
    expect(worseningStreak([2, 1], 'maximize')).toEqual({ count: 0, values: [2] });
  });

  test('has no step without values', () => {
    expect(worseningStreak([], 'maximize')).toEqual({ count: 0, values: [] });
    expect(worseningStreak(['x'], 'maximize')).toEqual({ count: 0, values: [] });
  });
});

describe('recommendations', () => {
  const version = (parameter_name: string, qid: string): ParameterVersion => ({
    entity_id: `${parameter_name} ${qid}`,
    parameter_name,
    qid,
    value: 1,
    value_type: 'float',
    unit: 'us',
    error: 0,
    version: 1,
    valid_from: '2026-11-21T00:00:00.000Z',
    valid_until: null,
    execution_id,
    task_id,
    task_name: '',
    project_id,
    chip_id: 'CHIP',
  });
  const entity = (parameter: string, qid: string, depth: number): LineageNode => ({
    node_type: 'entity',
    node_id: `${parameter} ${qid}`,
    depth,
    entity: version(parameter, qid),
    activity: null,
    latest_version: null,
  });
  const activity = (task_name: string, qid: string, depth: number): LineageNode => ({
    node_type: 'activity',
    node_id: `${task_name} ${qid}`,
    depth,
    entity: null,
    activity: {
      activity_id: `${task_name} ${qid}`,
      execution_id,
      task_id,
      task_name,
      task_type: 'qubit',
      qid,
      started_at: null,
      ended_at: null,
      status: 'completed',
      project_id,
      chip_id: 'CHIP',
    },
    latest_version: null,
  });
  const origin = entity('qubit_frequency', 'Q0', 0);
  const impact: Lineage = {
    origin,
    nodes: [
      origin,
      activity('Zeta', 'Q0', 3),
      activity('CheckRabi', 'Q10', 1),
      activity('CheckRabi', 'Q2', 5),
      activity('Alpha', 'Q0', 3),
      entity('rabi_frequency', 'Q2', 2),
      entity('rabi_amplitude', 'Q2', 2),
      entity('t1', 'Q0', 4),
    ],
    edges: [
      { relation_type: 'wasGeneratedBy', source_id: 'rabi_frequency Q2', target_id: 'CheckRabi Q2' },
      { relation_type: 'wasGeneratedBy', source_id: 'rabi_amplitude Q2', target_id: 'CheckRabi Q10' },
      { relation_type: 'wasGeneratedBy', source_id: 't1 Q0', target_id: 'Zeta Q0' },
      { relation_type: 'used', source_id: 'Alpha Q0', target_id: 'rabi_frequency Q2' },
      { relation_type: 'wasGeneratedBy', source_id: 'beyond the walk', target_id: 'Alpha Q0' },
    ],
    max_depth: 5,
    truncated: false,
  };

  test('name tasks once, the nearest first and by name, with the values that they renew', () => {
    expect(recommendationsFrom(impact)).toEqual({
      source_entity_id: 'qubit_frequency Q0',
      source_parameter_name: 'qubit_frequency',
      source_qid: 'Q0',
      recommended_tasks: [
        {
          task_name: 'CheckRabi',
          priority: 1,
          affected_parameters: ['rabi_amplitude', 'rabi_frequency'],
          affected_qids: ['Q2', 'Q10'],
          reason: 'CheckRabi measured with qubit_frequency of Q0.',
        },
        {
          task_name: 'Alpha',
          priority: 2,
          affected_parameters: [],
          affected_qids: ['Q0'],
          reason: 'Alpha measured with values that were made from qubit_frequency of Q0, 3 steps away.',
        },
        {
          task_name: 'Zeta',
          priority: 3,
          affected_parameters: ['t1'],
          affected_qids: ['Q0'],
          reason: 'Zeta measured with values that were made from qubit_frequency of Q0, 3 steps away.',
        },
      ],
      total_affected_parameters: 3,
      max_depth_reached: 5,
    });
  });

  test('of an origin that is no value do not name it', () => {
    const from = activity('CheckT1', 'Q0', 0);
    const found = recommendationsFrom({ ...impact, origin: from, nodes: [from], edges: [] });
    expect(found).toMatchObject({ source_parameter_name: '', source_qid: '', total_affected_parameters: 0 });
    expect(found.recommended_tasks.map(({ reason }) => reason)).toEqual([
      'CheckT1 measured with values that were made from this value, 0 steps away.',
    ]);
  });
});
