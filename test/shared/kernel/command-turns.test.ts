import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCommandTurns } from '../../../shared/kernel/command-turns.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Turns, who was sent, and commands that end when they are told to. */
function opened() {
  const turns = createCommandTurns();
  const sent: string[] = [];
  const command = () => {
    let succeed = () => {};
    let fail = (_reason: Error) => {};
    const end = new Promise<void>((resolve, reject) => {
      succeed = resolve;
      fail = reject;
    });
    return {
      carried: turns.carryOut(() => end),
      succeed: () => succeed(),
      fail: (reason: Error) => fail(reason),
    };
  };
  return { sent, command, ask: (name: string) => turns.schedule(() => sent.push(name)) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('who is alone is sent at the end of the turn', async () => {
  const { sent, ask } = opened();
  ask('first');
  ask('second');
  expect(sent).toEqual([]);
  await turn();
  expect(sent).toEqual(['first', 'second']);
});

test('who comes while commands are under way is sent once the last of them has ended, however it ended', async () => {
  const { sent, ask, command } = opened();
  const [one, other] = [command(), command()];
  ask('waiting');
  one.succeed();
  await one.carried;
  await turn();
  expect(sent).toEqual([]);
  other.fail(new Error('the store is away'));
  await expect(other.carried).rejects.toThrow('the store is away');
  await turn();
  expect(sent).toEqual(['waiting']);
  vi.runAllTimers();
  ask('next');
  await turn();
  expect(sent).toEqual(['waiting', 'next']);
});

test('a command that hangs delays the others by 20 ms, and they are sent once', async () => {
  const { sent, ask, command } = opened();
  const hanging = command();
  ask('late');
  await turn();
  vi.advanceTimersByTime(19);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(['late']);
  hanging.succeed();
  await hanging.carried;
  await turn();
  expect(sent).toEqual(['late']);
});
