import { expect, test } from 'vitest';
import { byPass } from '../../../activities/record/row-passes.ts';
import type { TaskResultDocument } from '../../../shared/domain/results/model.ts';

const pass = (id: string) => ({ id, reason: 'too coarse', raw_data_path: [] });
const row = (status: TaskResultDocument['status'], passes: number) => ({
  status,
  passes: Array.from({ length: passes }, (_, index) => pass(`pass ${index}`)),
});

test('of targets that share a measurement those are measured next that are furthest behind', () => {
  const ended = row('completed', 0);
  const [waiting, gone] = [row('running', 1), row('failed', 1)];
  expect(byPass([ended, waiting, gone])).toEqual({ earlier: [ended], now: [waiting, gone] });
  // A worker died after one of both had gone on to its next pass.
  const behind = row('running', 0);
  expect(byPass([ended, waiting, behind])).toEqual({ earlier: [], now: [ended, behind] });
});

test('if all targets have ended, those of the last pass are reported, and the others count as ended before', () => {
  const [first, last] = [row('completed', 0), row('completed', 2)];
  expect(byPass([first, last])).toEqual({ earlier: [first], now: [last] });
});
