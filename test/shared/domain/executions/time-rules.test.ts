import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ClaimedSpan,
  partOfWait,
  partsOfSlices,
  partsOfTime,
  segmentsOf,
} from '../../../../shared/domain/executions/time-rules.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 28) + 1000 * second);
const span = (part: ClaimedSpan['part'], from: number, to: number | null): ClaimedSpan => ({
  ...{ part, from: at(from), to: to === null ? null : at(to) },
});
const whole = { from: at(0), to: at(100) };

/** Seconds of the parts that have any. */
function seconds(...claimed: ClaimedSpan[]) {
  const parts = Object.entries(partsOfTime(whole, [span('idle', 0, 100), ...claimed])).map(
    ([part, ms]) => [part, ms / 1000] as const,
  );
  expect(parts.reduce((sum, [, each]) => sum + each, 0)).toBe(100);
  return Object.fromEntries(parts.filter(([, each]) => each > 0));
}

test('the time of a run is divided without gaps and overlaps', () => {
  expect(
    seconds(
      span('lock', 0, 10),
      span('engine', 10, 60),
      span('instrument', 15, 40),
      span('analysis', 40, 45),
      span('people', 60, 90),
    ),
  ).toEqual({ lock: 10, engine: 20, instrument: 25, analysis: 5, people: 30, idle: 10 });
});

test('measurements at the same time count once, and an analysis during a measurement does not count', () => {
  expect(seconds(span('instrument', 0, 50), span('instrument', 20, 60), span('analysis', 30, 70))).toEqual({
    ...{ instrument: 60, analysis: 10, idle: 30 },
  });
});

test('an open span counts until the end of the whole period, and nothing outside of that counts', () => {
  expect(seconds(span('people', 80, null), span('instrument', -50, 20), span('engine', 95, 300))).toEqual({
    ...{ instrument: 20, people: 20, idle: 60 },
  });
  expect(seconds(span('instrument', 200, 300), span('engine', 60, 50))).toEqual({ idle: 100 });
});

test('a run that was paused during a measurement measured', () => {
  expect(seconds(span('people', 0, 100), span('instrument', 10, 30), span('engine', 0, 100))).toEqual({
    ...{ people: 80, instrument: 20 },
  });
});

test('waits belong to people, to the lock, or to what was missing; a sleep of the flow is idle', () => {
  expect(partOfWait('approval')).toBe('people');
  expect(partOfWait('previous_run')).toBe('lock');
  expect(partOfWait('backend')).toBe('resources');
  expect(partOfWait(undefined)).toBe('resources');
  expect(partOfWait('sleep')).toBeNull();
});

test('time that no run claims is unused, and slices divide every part', () => {
  const claimed = [span('idle', 10, 70), span('instrument', 20, 50), span('idle', 90, null)];
  const segments = [...segmentsOf(whole, claimed)];
  expect(segments.map(({ part, to }) => [part, (to - at(0).getTime()) / 1000])).toEqual([
    ...[
      ['unused', 10],
      ['idle', 20],
      ['instrument', 50],
      ['idle', 70],
      ['unused', 90],
    ],
    ['idle', 100],
  ]);
  const edges = [0, 30, 60, 100].map((second) => at(second).getTime());
  expect(partsOfSlices(segments, edges)).toMatchObject([
    { unused: 10_000, idle: 10_000, instrument: 10_000 },
    { unused: 0, idle: 10_000, instrument: 20_000 },
    { unused: 20_000, idle: 20_000, instrument: 0 },
  ]);
  expect(partsOfSlices([], edges)).toHaveLength(3);
  expect(partsOfSlices(segments, [])).toEqual([]);
});

test('the parts of any spans add up to the whole, in slices as well', () => {
  const parts = fc.constantFrom<ClaimedSpan['part']>('instrument', 'people', 'lock', 'idle', 'engine');
  const spans = fc.array(
    fc.tuple(parts, fc.integer({ min: -20, max: 120 }), fc.option(fc.integer({ min: -20, max: 140 }))),
  );
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 37 }), (given, step) => {
      const claimed = given.map(([part, from, to]) => span(part, from, to));
      const total = partsOfTime(whole, claimed);
      expect(Object.values(total).reduce((sum, each) => sum + each, 0)).toBe(100_000);
      const edges = [0];
      for (let edge = step; edge < 100; edge += step) edges.push(edge);
      const slices = partsOfSlices(
        segmentsOf(whole, claimed),
        [...edges, 100].map((second) => at(second).getTime()),
      );
      for (const [part, spent] of Object.entries(total)) {
        const inSlices = slices.flatMap((slice) => Object.entries(slice)).filter(([name]) => name === part);
        expect(inSlices.reduce((sum, [, each]) => sum + each, 0)).toBe(spent);
      }
    }),
  );
});
