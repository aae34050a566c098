import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../../activities/backends/simulator/journal.ts';
import { executionNamed, projectNamed, taskNamed } from '../../../support/ids.ts';
import { overlappingMeasurements } from './overlaps.ts';

function entry(event: JournalEntry['event'], second: number, pid: number, attempt = 1): JournalEntry {
  return {
    event,
    at: new Date(second * 1000).toISOString(),
    project_id: projectNamed('p'),
    execution_id: executionNamed('e'),
    task_id: taskNamed('t'),
    attempt,
    task_name: 'CheckT1',
    targets: ['0'],
    pid,
  };
}

test('measurements one after another do not overlap, whether they ended, were aborted or their process was killed', () => {
  const journal = [
    entry('start', 1, 10),
    entry('end', 2, 10),
    entry('start', 2, 10, 2),
    entry('abort', 3, 10, 2),
    entry('start', 4, 10, 3),
    entry('start', 6, 11, 4),
  ];
  expect(overlappingMeasurements(journal, new Map([[10, 5000]]))).toEqual([]);
});

test('a measurement that begins while another one runs overlaps it, also when that one is killed later', () => {
  const journal = [entry('start', 4, 10), entry('start', 6, 11, 2)];
  expect(overlappingMeasurements(journal, new Map())).toHaveLength(1);
  expect(overlappingMeasurements(journal, new Map([[10, 7000]]))).toHaveLength(1);
});
