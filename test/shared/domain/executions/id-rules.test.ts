import { expect, test } from 'vitest';
import {
  flowRunIdOf,
  formatExecutionId,
  parseExecutionId,
} from '../../../../shared/domain/executions/id-rules.ts';

test('execution ids have three digits and grow to four', () => {
  expect([formatExecutionId('20261121', 0), formatExecutionId('20261121', 1000)]).toEqual([
    '20261121-000',
    '20261121-1000',
  ]);
  expect(parseExecutionId('20261121-012')).toEqual({ day: '20261121', index: '012' });
  expect(parseExecutionId('manual-edit-1')).toBeNull();
});

test('an execution whose flow run is not known has an empty id of it', () => {
  expect(flowRunIdOf({ note: { flow_run_id: 'a' } })).toBe('a');
  expect(flowRunIdOf({ note: {} })).toBe('');
});
