import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { TaskScope } from '../../activities/contract.ts';
import { createTargetQueue, type TargetWork } from '../../workflows/target-queue.ts';

const pass = (work: TargetWork, scopes: readonly TaskScope[]) => {
  // A target walks alone up to the next task that it shares.
  let index = work.index + 1;
  if (scopes[work.index] === 'target') while (scopes[index] === 'target') index += 1;
  return { passed: work.targets, index };
};

it('targets walk alone where each has its own measurement', () => {
  const queue = createTargetQueue(['0', '1'], ['target', 'target']);
  expect([queue.take(), queue.take(), queue.take()]).toEqual([
    { targets: ['0'], index: 0 },
    { targets: ['1'], index: 0 },
    null,
  ]);
  expect(queue.busy()).toBe(true);
});

it('the qubits of a mux share a mux task, those of another mux have their own', () => {
  const queue = createTargetQueue(['1', '2', '5'], ['mux', 'target']);
  const first = queue.take();
  expect(first).toEqual({ targets: ['1', '2'], index: 0 });
  expect(queue.take()).toEqual({ targets: ['5'], index: 0 });
  if (first) queue.done(first, { passed: ['2'], index: 1 });
  expect(queue.take()).toEqual({ targets: ['2'], index: 1 });
  expect(queue.take()).toBeNull();
});

it('a shared task in the middle waits for all of its group that still go on', () => {
  const scopes: TaskScope[] = ['target', 'batch'];
  const queue = createTargetQueue(['0', '1', '2'], scopes);
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

it('what is open goes on where it was after continue-as-new', () => {
  const queue = createTargetQueue(['0', '1', '2'], ['target', 'target'], { 1: ['1'] });
  expect(queue.positions()).toEqual({ 1: ['1'] });
  expect(queue.take()).toEqual({ targets: ['1'], index: 1 });
  expect(queue.take()).toBeNull();
});

it('whatever the scopes and the order of ends, each target meets each task once and nothing is left over', () => {
  const scope = fc.constantFrom<TaskScope>('target', 'mux', 'batch');
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 12 }),
      fc.array(scope, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (qubits, scopes, choices) => {
        const queue = createTargetQueue(qubits.map(String), scopes);
        const met = new Map<string, number>();
        const running: TargetWork[] = [];
        for (let turn = 0; turn < 1000; turn += 1) {
          for (let work = queue.take(); work; work = queue.take()) running.push(work);
          if (running.length === 0) break;
          const [work] = running.splice((choices.next().value ?? 0) % running.length, 1);
          if (!work) break;
          const ended = pass(work, scopes);
          for (const target of work.targets)
            met.set(target, (met.get(target) ?? 0) + ended.index - work.index);
          queue.done(work, ended);
        }
        expect(queue.positions()).toEqual({});
        expect([...met.values()]).toEqual(qubits.map(() => scopes.length));
      },
    ),
  );
});
