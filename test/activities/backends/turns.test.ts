import { expect, test } from 'vitest';
import { createTurns } from '../../../activities/backends/turns.ts';
import { projectNamed, taskNamed } from '../../support/ids.ts';

const first = { project_id: projectNamed('p'), task_id: taskNamed('a'), epoch: 1 };

/** A measurement that ends when the test lets it, and notes what happened to it. */
function measurement(name: string, events: string[]) {
  let end = () => {};
  const ending = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    end: () => end(),
    async measure(stop: AbortSignal): Promise<string> {
      events.push(`${name} begins`);
      stop.addEventListener('abort', () => events.push(`${name} must stop`));
      await ending;
      events.push(`${name} ends`);
      return name;
    },
  };
}

test('a further attempt at a task begins when the one before it has stopped', async () => {
  const inTurn = createTurns();
  const events: string[] = [];
  const [one, other] = [measurement('first', events), measurement('second', events)];
  const running = inTurn(first, one.measure);
  await Promise.resolve();
  const waiting = inTurn(first, other.measure);
  other.end();
  await expect.poll(() => events).toEqual(['first begins', 'first must stop']);
  one.end();
  expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
  expect(events).toEqual(['first begins', 'first must stop', 'first ends', 'second begins', 'second ends']);
});

test('an attempt that failed lets the next one begin', async () => {
  const inTurn = createTurns();
  const failing = inTurn(first, () => Promise.reject(new Error('no signal')));
  const next = inTurn(first, () => Promise.resolve('measured'));
  await expect(failing).rejects.toThrow('no signal');
  expect(await next).toBe('measured');
});

test('other tasks of a run and other projects measure at the same time', async () => {
  const inTurn = createTurns();
  const events: string[] = [];
  const names = ['one', 'two', 'three'];
  const all = names.map((name) => measurement(name, events));
  const places = [
    first,
    { ...first, task_id: taskNamed('b') },
    { ...first, project_id: projectNamed('q'), epoch: 7 },
  ];
  const running = all.map(({ measure }, i) => inTurn(places[i] ?? first, measure));
  await expect.poll(() => events).toEqual(names.map((name) => `${name} begins`));
  for (const { end } of all) end();
  await Promise.all(running);
});

test('a later run waits for an earlier one of its project to stop, which is refused from then on', async () => {
  const inTurn = createTurns();
  const events: string[] = [];
  const [earlier, later] = [measurement('earlier', events), measurement('later', events)];
  const running = inTurn(first, earlier.measure);
  await Promise.resolve();
  const next = inTurn({ ...first, task_id: taskNamed('b'), epoch: 2 }, later.measure);
  await expect(inTurn({ ...first, task_id: taskNamed('c') }, later.measure)).rejects.toThrow(
    'Run 1 of the project was followed by run 2.',
  );
  earlier.end();
  later.end();
  await Promise.all([running, next]);
  expect(events).toEqual([
    'earlier begins',
    'earlier must stop',
    'earlier ends',
    'later begins',
    'later ends',
  ]);
});
