import { describe, expect, test } from 'vitest';
import type { NoteScope } from '../../../../shared/domain/notes/model.ts';
import {
  isShownIn,
  isWithoutScope,
  type KnownCooldowns,
  scopeOf,
  winnerOf,
} from '../../../../shared/domain/notes/scope-rules.ts';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const cooldown = (cooldown_id: string, from: number, to: number | null) => ({
  cooldown_id,
  started_at: day(from),
  ended_at: to === null ? null : day(to),
});
const nothing: KnownCooldowns = { named: null, holding: [], current: null };
const [first, second] = [cooldown('C1', 1, 10), cooldown('C2', 11, null)];

describe('what a request means in time', () => {
  test.each<
    [
      what: string,
      query: Parameters<typeof scopeOf>[0],
      known: Partial<KnownCooldowns>,
      expected: Partial<NoteScope> | null,
    ]
  >([
    [
      'a cool-down that is named, with its bounds',
      { cooldown_id: 'C1' },
      { named: first },
      {
        scope_type: 'cooldown',
        scope_key: 'cooldown:C1',
        cooldown_id: 'C1',
        scope_started_at: day(1),
        scope_ended_at: day(10),
        scope_source: 'explicit_cooldown',
      },
    ],
    [
      'a cool-down that is named wins over a period and over the current one',
      { cooldown_id: 'C1', start_at: day(20), end_at: day(21) },
      { named: first, current: second },
      { scope_key: 'cooldown:C1', scope_source: 'explicit_cooldown' },
    ],
    ['an unknown cool-down means nothing', { cooldown_id: 'ghost' }, { current: second }, null],
    [
      'a period within one cool-down means that one',
      { start_at: day(2), end_at: day(3) },
      { holding: [first], current: second },
      {
        scope_type: 'cooldown',
        scope_key: 'cooldown:C1',
        scope_started_at: day(1),
        scope_ended_at: day(10),
        scope_source: 'inferred_from_range',
      },
    ],
    [
      'a period within several cool-downs means itself',
      { start_at: day(2), end_at: day(3) },
      { holding: [first, cooldown('C3', 1, 9)] },
      { scope_type: 'time_range', scope_source: 'manual_time_range' },
    ],
    [
      'a period within none means itself',
      { start_at: day(2), end_at: day(3) },
      { current: second },
      {
        scope_type: 'time_range',
        scope_key: 'time_range:2026-01-02T00:00:00.000+00:00:2026-01-03T00:00:00.000+00:00',
        cooldown_id: null,
        scope_started_at: day(2),
        scope_ended_at: day(3),
        scope_source: 'manual_time_range',
      },
    ],
    [
      'a period without an end has an open key',
      { start_at: day(2) },
      {},
      { scope_key: 'time_range:2026-01-02T00:00:00.000+00:00:', scope_ended_at: null },
    ],
    [
      'an end alone says nothing',
      { end_at: day(3) },
      { current: second },
      { scope_key: 'cooldown:C2', scope_source: 'current_cooldown' },
    ],
    [
      'nothing means the cool-down that the chip is in',
      {},
      { current: second },
      {
        scope_key: 'cooldown:C2',
        cooldown_id: 'C2',
        scope_started_at: day(11),
        scope_ended_at: null,
        scope_source: 'current_cooldown',
      },
    ],
    [
      'nothing, of a chip in no cool-down, means no time in particular',
      {},
      {},
      {
        scope_type: 'global',
        scope_key: 'global',
        cooldown_id: null,
        scope_started_at: null,
        scope_ended_at: null,
        scope_source: 'legacy_global',
      },
    ],
  ])('%s', (_what, query, known, expected) => {
    const scope = scopeOf(query, { ...nothing, ...known });
    if (expected === null) expect(scope).toBeNull();
    else expect(scope).toMatchObject(expected);
  });

  test('only a cool-down or a start makes a scope', () => {
    expect([{}, { end_at: day(1) }].map(isWithoutScope)).toEqual([true, true]);
    expect([{ cooldown_id: 'C1' }, { start_at: day(1) }].map(isWithoutScope)).toEqual([false, false]);
  });
});

const must = (scope: NoteScope | null): NoteScope => {
  if (!scope) throw new Error('there is no scope');
  return scope;
};
const range = (from: number, to: number | null) =>
  must(scopeOf({ start_at: day(from), ...(to !== null && { end_at: day(to) }) }, nothing));
const inCooldown = (known: typeof first) =>
  must(scopeOf({ cooldown_id: known.cooldown_id }, { ...nothing, named: known }));
const global = must(scopeOf({}, nothing));

describe('what a scope shows', () => {
  test.each<[scope: string, row: string, asked: NoteScope, stored: NoteScope, shown: boolean]>([
    ['a cool-down', 'its own', inCooldown(first), inCooldown(first), true],
    ['a cool-down', "another one's", inCooldown(first), inCooldown(second), false],
    ['a cool-down', 'that of a period within it', inCooldown(first), range(2, 9), true],
    ['a cool-down', 'that of exactly its period', inCooldown(first), range(1, 10), true],
    ['a cool-down', 'not that of a period that begins before it', inCooldown(second), range(10, 12), false],
    ['a cool-down', 'not that of a period that ends after it', inCooldown(first), range(2, 11), false],
    ['a cool-down that is over', 'not that of an open period', inCooldown(first), range(2, null), false],
    ['a cool-down that goes on', 'that of an open period', inCooldown(second), range(12, null), true],
    ['a cool-down', 'not that of no time', inCooldown(first), global, false],
    ['a period', 'that of one that overlaps it', range(1, 5), range(4, 9), true],
    ['a period', 'that of one that touches it', range(1, 5), range(5, 9), true],
    ['a period', 'not that of one after it', range(1, 5), range(6, 9), false],
    ['a period', 'not that of one before it', range(6, 9), range(1, 5), false],
    ['an open period', 'that of a later one', range(1, null), range(6, 9), true],
    ['a period', 'that of an open one before it', range(6, 9), range(1, null), true],
    ['a period', "not a cool-down's", range(2, 9), inCooldown(first), false],
    ['a period', 'not that of no time', range(2, 9), global, false],
    ['no time', 'its own', global, global, true],
    ['no time', 'not that of a period', global, range(1, 2), false],
    ['no time', "not a cool-down's", global, inCooldown(first), false],
  ])('%s: %s', (...[, , asked, stored, shown]) => {
    expect(isShownIn(asked, stored)).toBe(shown);
  });
});

describe('which of several notes counts', () => {
  const note = (scope: NoteScope, name: string, edited: number | null) => ({
    ...scope,
    name,
    note: { updated_at: edited === null ? null : day(edited) },
  });

  test('that of the very scope, however old', () => {
    const rows = [note(range(1, 5), 'other', 20), note(range(2, 6), 'exact', 1)];
    expect(winnerOf(range(2, 6), rows)?.name).toBe('exact');
  });

  test('else the one edited last; one that never was is the oldest', () => {
    const rows = [note(range(1, 5), 'a', null), note(range(2, 5), 'b', 7), note(range(3, 5), 'c', 6)];
    expect(winnerOf(range(4, 6), rows)?.name).toBe('b');
  });

  test('none of those that the scope does not show', () => {
    expect(winnerOf(range(8, 9), [note(range(1, 5), 'a', 3)])).toBeNull();
  });
});
