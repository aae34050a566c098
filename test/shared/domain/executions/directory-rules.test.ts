import { expect, test } from 'vitest';
import { executionDirectory, executionFolder } from '../../../../shared/domain/executions/directory-rules.ts';
import { executionNamed, projectNamed } from '../../../support/ids.ts';

const execution = {
  project_id: projectNamed('p1'),
  chip_id: 'A16',
  execution_id: executionNamed('20260102-007'),
};

test('the folder of an execution is relative to the root of the data', () => {
  expect(executionFolder(execution)).toBe('p1/A16/20260102/007');
  expect(executionDirectory('/data', execution)).toBe('/data/p1/A16/20260102/007');
});
