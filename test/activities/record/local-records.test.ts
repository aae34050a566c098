import { afterEach, expect, test, vi } from 'vitest';
import type { RecordInput, RecordOutput } from '../../../activities/contracts/steps.ts';
import { createLocalRecords } from '../../../activities/record/local-records.ts';
import { inFairTurns } from '../../../activities/record/turns.ts';
import { createLog } from '../../../shared/kernel/log.ts';
import { executionNamed, projectNamed, taskNamed, userNamed } from '../../support/ids.ts';

/** A record keeper whose answers are given by hand, by target. */
function recordKeeper() {
  const begun: string[] = [];
  const answers = new Map<string, { answer(): void; fail(): void }>();
  const { recordLocally, record } = createLocalRecords({
    record: (step) => {
      const target = step.targets.join();
      begun.push(target);
      return new Promise<RecordOutput>((resolve, reject) => {
        answers.set(target, {
          answer: () => resolve(outputOf(step)),
          fail: () => reject(new Error('the store is away')),
        });
      });
    },
    log: createLog('test', 'SILENT'),
  });
  return {
    ...{ begun, record, recordLocally },
    answer: (target: string) => answers.get(target)?.answer(),
    fail: (target: string) => answers.get(target)?.fail(),
  };
}

function outputOf({ targets, index }: RecordInput): RecordOutput {
  return { completed: 1, failed: 0, skipped: 0, passed: targets, index: index + 1, next: null };
}

const run: RecordInput['run'] = {
  ...{
    project_id: projectNamed('project'),
    execution_id: executionNamed('execution'),
    chip_id: 'chip',
    name: 'flow',
    user_id: userNamed('user'),
  },
  ...{ username: 'ada', backend: 'fridge', trigger: 'api', tags: [], epoch: 1, flow_run_id: 'run' },
};

function stepOf(target: string): RecordInput {
  return { run, stage: 0, targets: [target], index: 0, step: 'prepare' };
}

const one = stepOf('1');
const two = stepOf('2');
const three = stepOf('3');

afterEach(() => {
  vi.useRealTimers();
});

test('a slow step blocks no other, and a caller that then waits for it does not start it again', async () => {
  vi.useFakeTimers();
  const keeper = recordKeeper();
  const asked = keeper.recordLocally({ steps: [one, two] });
  keeper.answer('1');
  await vi.runAllTimersAsync();
  expect(await asked).toEqual({ recorded: [outputOf(one), null] });
  const waited = keeper.record(two);
  keeper.answer('2');
  expect(await waited).toEqual(outputOf(two));
  expect(keeper.begun).toEqual(['1', '2']);
});

test('a late step that fails rejects for its waiting caller, and the next caller starts it again', async () => {
  vi.useFakeTimers();
  const keeper = recordKeeper();
  const asked = keeper.recordLocally({ steps: [one] });
  await vi.runAllTimersAsync();
  expect(await asked).toEqual({ recorded: [null] });
  keeper.fail('1');
  await expect(keeper.record(one)).rejects.toThrow('the store is away');
  const again = keeper.record(one);
  keeper.answer('1');
  expect(await again).toEqual(outputOf(one));
  expect(keeper.begun).toEqual(['1', '1']);
});

test('steps that go together fail each for itself', async () => {
  const keeper = recordKeeper();
  const asked = keeper.recordLocally({ steps: [one, two, three] });
  keeper.answer('1');
  keeper.fail('2');
  keeper.answer('3');
  expect(await asked).toEqual({ recorded: [outputOf(one), null, outputOf(three)] });
});

test('another attempt at a measurement is another step', async () => {
  vi.useFakeTimers();
  const keeper = recordKeeper();
  const finished = { task_id: taskNamed('task'), pass: 1, attempt: 1, result: null, failure: 'cut off' };
  const finish = { ...one, step: 'finish' as const };
  const asked = keeper.recordLocally({ steps: [{ ...finish, finished }] });
  await vi.runAllTimersAsync();
  await asked;
  void keeper.record({ ...finish, finished: { ...finished, attempt: 2 } });
  expect(keeper.begun).toEqual(['1', '1']);
});

test('steps that wait for their turn do not hold up the workflow task, which the engine gives up after ten seconds', async () => {
  vi.useFakeTimers();
  const { recordLocally } = createLocalRecords({
    record: inFairTurns(() => new Promise(() => undefined), { perUser: 1, atOnce: 1 }),
    log: createLog('test', 'SILENT'),
  });
  const batches = Array.from({ length: 20 }, (_, batch) =>
    recordLocally({ steps: [stepOf(`${batch} a`), stepOf(`${batch} b`)] }),
  );
  await vi.advanceTimersByTimeAsync(250);
  expect(await Promise.all(batches)).toEqual(batches.map(() => ({ recorded: [null, null] })));
});
