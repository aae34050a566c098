import { expect, test } from 'vitest';
import { heartbeatTimeoutsOf } from '../../../../shared/domain/backends/rules.ts';

/** Settings in which `fridge` has this timeout. */
function withTimeout(heartbeat_timeout?: number | Record<string, number>) {
  return { backends: { fridge: { description: '', username: 'system', projects: [], heartbeat_timeout } } };
}

test.each([
  { name: 'the simulator', backend: 'simulator', settings: withTimeout(), general: undefined, expected: 10 },
  {
    name: 'a backend of a lab',
    backend: 'fridge',
    settings: withTimeout(),
    general: undefined,
    expected: 90,
  },
  {
    name: 'a backend that no file names',
    backend: 'other',
    settings: withTimeout(7),
    general: undefined,
    expected: 90,
  },
  { name: 'the setting for all', backend: 'simulator', settings: withTimeout(), general: 5, expected: 5 },
  {
    name: 'the number of a backend, which counts before the setting',
    backend: 'fridge',
    settings: withTimeout(30),
    general: 5,
    expected: 30,
  },
  {
    name: 'what the file says of the task',
    backend: 'fridge',
    settings: withTimeout({ CheckT1: 300, default: 20 }),
    general: 5,
    expected: 300,
  },
  {
    name: 'the default of the file for other tasks',
    backend: 'fridge',
    settings: withTimeout({ CheckRabi: 300, default: 20 }),
    general: 5,
    expected: 20,
  },
  {
    name: 'the setting where the file says nothing of the task',
    backend: 'fridge',
    settings: withTimeout({ CheckRabi: 300 }),
    general: 5,
    expected: 5,
  },
])('the heartbeat timeout of a task: $name', ({ backend, settings, general, expected }) => {
  expect(heartbeatTimeoutsOf(settings, backend, general).of('CheckT1')).toBe(expected);
});

test.each([
  ['one for all tasks', withTimeout(30), 30],
  ['the longest of a task', withTimeout({ CheckT1: 300, default: 20 }), 300],
  ['the one of the other tasks, if that is longer', withTimeout({ CheckT1: 3, default: 20 }), 20],
])('a lost worker of a backend costs at most %s', (_, settings, expected) => {
  expect(heartbeatTimeoutsOf(settings, 'fridge', undefined).longest).toBe(expected);
});
