import { expect, test } from 'vitest';
import type { RecordInput, RecordOutput } from '../../../activities/contracts/steps.ts';
import { inFairTurns } from '../../../activities/record/turns.ts';
import { executionNamed, projectNamed, userNamed } from '../../support/ids.ts';
import { runOf } from '../../support/laboratory.ts';

const output: RecordOutput = { completed: 0, failed: 0, skipped: 0, passed: [], index: 0, next: null };

function stepOf(user: string, project: string): RecordInput {
  const run = {
    ...runOf({ projectId: projectNamed(project), chipId: 'CHIP' }, executionNamed('run')),
    user_id: userNamed(user),
    epoch: 1,
    flow_run_id: 'id',
  };
  return { run, stage: 0, targets: ['0'], index: 0, step: 'prepare' };
}

test('steps of many projects of a user leave room for the step of another user', async () => {
  const waiting: (() => void)[] = [];
  const begun: string[] = [];
  const record = inFairTurns(
    async ({ run }) => {
      begun.push(run.user_id);
      await new Promise<void>((end) => waiting.push(end));
      return output;
    },
    { perUser: 2, atOnce: 3 },
  );
  const busy = Array.from({ length: 5 }, (_, project) => record(stepOf('busy', `busy-${project}`)));
  const small = record(stepOf('small', 'small'));
  const all = Promise.all([...busy, small]);
  await new Promise(setImmediate);
  expect(begun).toEqual(['busy', 'busy', 'small']);
  while (begun.length < 6 || waiting.length > 0) {
    for (const end of waiting.splice(0)) end();
    await new Promise(setImmediate);
  }
  expect(await all).toHaveLength(6);
});
