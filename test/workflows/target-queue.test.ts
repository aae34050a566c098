import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskScope } from '../../activities/contracts/steps.ts';
import { numbersIn, rangesOf } from '../../workflows/number-ranges.ts';
import { createTargetQueue, type TargetWork } from '../../workflows/target-queue.ts';

/** Every target a lane of its own. */
const sideBySide = (targets: readonly string[]) => targets.map((target) => [target]);

const pass = (work: TargetWork, scopes: readonly TaskScope[]) => {
  // A target walks alone up to the next task that it shares.
  let index = work.index + 1;
  if (scopes[work.index] === 'target') while (scopes[index] === 'target') index += 1;
  return { passed: work.targets, index };
};

test('targets walk alone where each has its own measurement', () => {
  const queue = createTargetQueue(sideBySide(['0', '1']), ['target', 'target']);
  expect([queue.take(), queue.take(), queue.take()]).toEqual([
    { targets: ['0'], index: 0 },
    { targets: ['1'], index: 0 },
    null,
  ]);
  expect(queue.busy()).toBe(true);
});

test('the qubits of a mux share a mux task, those of another mux have their own', () => {
  const queue = createTargetQueue(sideBySide(['1', '2', '5']), ['mux', 'target']);
  const first = queue.take();
  expect(first).toEqual({ targets: ['1', '2'], index: 0 });
  expect(queue.take()).toEqual({ targets: ['5'], index: 0 });
  if (first) queue.done(first, { passed: ['2'], index: 1 });
  expect(queue.take()).toEqual({ targets: ['2'], index: 1 });
  expect(queue.take()).toBeNull();
});

test('a shared task in the middle waits for all of its group that still go on', () => {
  const scopes: TaskScope[] = ['target', 'batch'];
  const queue = createTargetQueue(sideBySide(['0', '1', '2']), scopes);
  const works = [queue.take(), queue.take(), queue.take()];
  const [a, b, c] = works;
  if (!a || !b || !c) throw new Error('there is work for three');
  queue.done(a, { passed: ['0'], index: 1 });
  expect(queue.take()).toBeNull();
  queue.done(b, { passed: [], index: 0 });
  expect(queue.ready()).toBe(false);
  queue.done(c, { passed: ['2'], index: 1 });
  expect(queue.take()).toEqual({ targets: ['0', '2'], index: 1 });
});

test('what is open goes on where it was after continue-as-new', () => {
  const queue = createTargetQueue(sideBySide(['7', '8', '9']), ['target', 'target'], { 1: '1' });
  expect(queue.positions()).toEqual({ 1: '1' });
  expect(queue.take()).toEqual({ targets: ['8'], index: 1 });
  expect(queue.take()).toBeNull();
});

test('a lane goes one target after another, lanes side by side', () => {
  const queue = createTargetQueue([['0', '1'], ['2']], ['target']);
  const first = queue.take();
  expect([first, queue.take(), queue.take()]).toEqual([
    { targets: ['0'], index: 0 },
    { targets: ['2'], index: 0 },
    null,
  ]);
  if (first) queue.done(first, { passed: [], index: 0 });
  expect(queue.take()).toEqual({ targets: ['1'], index: 0 });
});

test('a mux that is a lane shares the mux task that leads the list, then goes one target after another', () => {
  const queue = createTargetQueue(
    [
      ['0', '1', '2', '3'],
      ['4', '5'],
    ],
    ['mux', 'target'],
  );
  const [first, second] = [queue.take(), queue.take()];
  expect([first?.targets, second?.targets]).toEqual([
    ['0', '1', '2', '3'],
    ['4', '5'],
  ]);
  if (first) queue.done(first, { passed: ['1', '2', '3'], index: 1 });
  expect(queue.take()).toEqual({ targets: ['1'], index: 1 });
  expect(queue.take()).toBeNull();
});

test('further down the list targets share only with those at the same position of other lanes', () => {
  const scopes: TaskScope[] = ['target', 'mux'];
  const queue = createTargetQueue(
    [
      ['0', '1'],
      ['2', '3'],
    ],
    scopes,
  );
  const walked = [queue.take(), queue.take()];
  expect(walked.map((work) => work?.targets)).toEqual([['0'], ['2']]);
  for (const work of walked) if (work) queue.done(work, { passed: work.targets, index: 1 });
  const shared = queue.take();
  expect(shared).toEqual({ targets: ['0', '2'], index: 1 });
  expect(queue.take()).toBeNull();
  if (shared) queue.done(shared, { passed: shared.targets, index: 2 });
  expect([queue.take()?.targets, queue.take()?.targets]).toEqual([['1'], ['3']]);
});

test('the numbers of the targets that go on fit into a payload, whatever came of the others', () => {
  const lanes = sideBySide(Array.from({ length: 1984 }, (_, number) => `${number}-${number + 1}`));
  const begun = createTargetQueue(lanes, ['target', 'target']);
  const works = lanes.slice(0, 1000).flatMap(() => begun.take() ?? []);
  for (const [number, work] of works.entries()) {
    begun.done(work, { passed: number % 2 ? work.targets : [], index: 1 });
  }
  expect(JSON.stringify(begun.positions()).length).toBeLessThan(16 * 1024);
  expect(createTargetQueue(lanes, ['target', 'target'], begun.positions()).positions()).toEqual(
    begun.positions(),
  );
  expect(JSON.stringify(createTargetQueue(lanes, ['target']).positions())).toBe('{"0":"0-1983"}');
});

test('ranges of numbers are read as they were written', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(300), { minLength: 1 }), (places) => {
      expect(numbersIn(rangesOf(places))).toEqual([...places].sort((a, b) => a - b));
    }),
  );
  expect(rangesOf([3, 1, 2, 7])).toBe('1-3,7');
});

test('whatever lanes, scopes, order of ends and pauses, each target meets each task once, its lane in order', () => {
  const scope = fc.constantFrom<TaskScope>('target', 'mux', 'batch');
  const width = fc.integer({ min: 1, max: 4 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 12 }),
      fc.array(scope, { minLength: 1, maxLength: 5 }),
      width,
      fc.infiniteStream(fc.nat()),
      (qubits, scopes, laneLength, choices) => {
        const lanes: string[][] = [];
        for (let at = 0; at < qubits.length; at += laneLength) {
          lanes.push(qubits.slice(at, at + laneLength).map(String));
        }
        let queue = createTargetQueue(lanes, scopes);
        const met = new Map<string, number>();
        const begun: string[] = [];
        const running: TargetWork[] = [];
        for (let turn = 0; turn < 1000; turn += 1) {
          const choice = choices.next().value ?? 0;
          // A stage that continues as new has nothing in flight.
          if (running.length === 0 && choice % 3 === 0) {
            queue = createTargetQueue(lanes, scopes, queue.positions() ?? {});
          }
          for (let work = queue.take(); work; work = queue.take()) {
            running.push(work);
            // Before the first task that a target has alone, lanes do not count.
            if (work.index < scopes.indexOf('target') || !scopes.includes('target')) continue;
            begun.push(...work.targets.filter((target) => !begun.includes(target)));
          }
          if (running.length === 0) break;
          const [work] = running.splice(choice % running.length, 1);
          if (!work) break;
          const ended = pass(work, scopes);
          for (const target of work.targets)
            met.set(target, (met.get(target) ?? 0) + ended.index - work.index);
          queue.done(work, ended);
        }
        expect(queue.positions()).toBeNull();
        expect([...met.values()]).toEqual(qubits.map(() => scopes.length));
        if (!scopes.includes('target')) return;
        for (const lane of lanes) expect(begun.filter((target) => lane.includes(target))).toEqual(lane);
      },
    ),
  );
});
