import { expect, test } from 'vitest';
import { knowledgeFolderOf } from '../../../../shared/domain/task-knowledge/rules.ts';
import type { TaskCategory } from '../../../../shared/tasks/model.ts';

test.each<[string, TaskCategory, string]>([
  ['DumpBox', 'Box Setup', 'box-setup/DumpBox'],
  ['CheckResonatorFrequencies', 'CW Measurements', 'cw-characterization/CheckResonatorFrequencies'],
  ['CheckRabi', '1Q Coarse', 'td-characterization/CheckRabi'],
  ['CheckT1', '1Q Fine', 'td-characterization/CheckT1'],
  ['ReadoutClassification', 'Measurement', 'td-characterization/ReadoutClassification'],
  ['OwnTask', 'Lab', 'td-characterization/OwnTask'],
  ['CreateZX90', '2Q Calibration', 'two-qubit-gate-calibration/CreateZX90'],
  ['RandomizedBenchmarking', 'Benchmarking', 'benchmarking/RandomizedBenchmarking'],
])('the page of %s, of the category %s, is in %s', (name, category, folder) => {
  expect(knowledgeFolderOf({ name, category })).toBe(folder);
});

test.each([
  'CheckHPIPulse',
  'CheckPIPulse',
  'CreateHPIPulse',
  'CreatePIPulse',
  'CheckDRAGHPIPulse',
  'CreateDRAGPIPulse',
])('the page of %s is with the calibration of gates', (name) => {
  expect(knowledgeFolderOf({ name, category: '1Q Fine' })).toBe(`one-qubit-gate-calibration/${name}`);
});

test.each(['RecheckPIPulse', 'CheckPIPulseTrain', 'CheckPulse'])('%s is not such a pulse', (name) => {
  expect(knowledgeFolderOf({ name, category: '1Q Fine' })).toBe(`td-characterization/${name}`);
});
