import { expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { driftedQubit } from '../../../../shared/science/device/device-drift.ts';
import { type Incident, struckQubit } from '../../../../shared/science/device/incidents.ts';
import { jumping, wandering } from '../../../../shared/science/device/wandering.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const afterHours = (hours: number) => new Date(START + hours * HOUR_MS);
const QIDS = Array.from({ length: 16 }, (_, index) => String(index));
const still = trueQubit('drift', '0', afterHours(0));
const drifted = (qid: string, hours: number, size = 1) =>
  driftedQubit(trueQubit('drift', qid, afterHours(0)), { seed: 'drift', qid, at: afterHours(hours) }, size);

function deviation(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
}

/** Typical change of a drifting quantity within some hours. */
function changeWithin(hours: number, of: (qid: string, hours: number) => number): number {
  return deviation(
    QIDS.flatMap((qid) =>
      Array.from({ length: 30 }, (_, index) => of(qid, 31 * index + hours) - of(qid, 31 * index)),
    ),
  );
}

test('a course is the same for the same seed, and differs for another seed, qubit or quantity', () => {
  const course = { seed: 'a', of: '1', quantity: 'f' };
  const shape = { longestMs: 96 * HOUR_MS, shortestMs: HOUR_MS, slope: 2 } as const;
  const at = afterHours(7);
  expect(wandering(course, at, shape)).toBe(wandering({ ...course }, at, shape));
  for (const other of [{ seed: 'b' }, { of: '2' }, { quantity: 'g' }]) {
    expect(wandering({ ...course, ...other }, at, shape)).not.toBe(wandering(course, at, shape));
    expect(jumping({ ...course, ...other }, at, HOUR_MS)).not.toBe(jumping(course, at, HOUR_MS));
  }
});

test('wandering has a variance of about one, and is continuous', () => {
  const shape = { longestMs: 24 * HOUR_MS, shortestMs: HOUR_MS, slope: 1 } as const;
  const course = { seed: 'variance', of: '1', quantity: 'f' };
  const values = Array.from({ length: 2000 }, (_, index) => wandering(course, afterHours(5 * index), shape));
  expect(deviation(values)).toBeGreaterThan(0.85);
  expect(deviation(values)).toBeLessThan(1.15);
  const [before, after] = [0, 1e-4].map((hours) => wandering(course, afterHours(3 + hours), shape));
  expect(Math.abs((after ?? 0) - (before ?? 0))).toBeLessThan(0.01);
});

test('a level that jumps keeps its value in between', () => {
  const course = { seed: 'jumps', of: '1', quantity: 'f' };
  const values = Array.from({ length: 1000 }, (_, index) =>
    jumping(course, afterHours(index / 10), 10 * HOUR_MS),
  );
  const jumps = values.filter((value, index) => index > 0 && value !== values[index - 1]).length;
  expect(jumps).toBeGreaterThanOrEqual(9);
  expect(jumps).toBeLessThanOrEqual(11);
});

test('frequencies move by kHz within minutes and by tens of kHz within days', () => {
  const f01 = (qid: string, hours: number) => drifted(qid, hours).f01;
  expect(changeWithin(0.1, f01)).toBeLessThan(5e-6);
  expect(changeWithin(24, f01)).toBeGreaterThan(10e-6);
  expect(changeWithin(24, f01)).toBeLessThan(60e-6);
});

test('pulses of a day ago are wrong by less than a percent', () => {
  const drive = (qid: string, hours: number) => Math.log(drifted(qid, hours).maximumRabiFrequency);
  expect(changeWithin(24, drive)).toBeGreaterThan(0.002);
  expect(changeWithin(24, drive)).toBeLessThan(0.01);
});

test('T1 fluctuates by some ten percent, defects pass now and then, and coherence stays possible', () => {
  const ratios: number[] = [];
  for (const qid of QIDS) {
    const usual = trueQubit('drift', qid, afterHours(0)).t1;
    for (let hours = 0; hours < 720; hours += 6) {
      const { t1, t2Echo, t2Star } = drifted(qid, hours);
      ratios.push(t1 / usual);
      expect(t2Echo).toBeLessThanOrEqual(2 * t1);
      expect(t2Star).toBeLessThanOrEqual(t2Echo);
    }
  }
  const passing = ratios.filter((ratio) => ratio < 0.4).length / ratios.length;
  expect(passing).toBeGreaterThan(0.003);
  expect(passing).toBeLessThan(0.1);
  const usual = ratios.filter((ratio) => ratio > 0.6 && ratio < 1.4).length / ratios.length;
  expect(usual).toBeGreaterThan(0.8);
});

test('a smaller drift has smaller changes', () => {
  const distance = (size: number) =>
    Math.abs(drifted('3', 100, size).f01 - trueQubit('drift', '3', afterHours(0)).f01);
  expect(distance(0.1)).toBeCloseTo(distance(1) / 10, 9);
});

test('the readout of one line drifts together', () => {
  const turned = (qid: string) =>
    drifted(qid, 50).direction - trueQubit('drift', qid, afterHours(0)).direction;
  expect(turned('1')).toBeCloseTo(turned('0'), 9);
  expect(turned('4')).not.toBeCloseTo(turned('0'), 3);
});

const incident = (changes: Partial<Incident>): Incident => ({
  qids: ['0'],
  incident: 'frequency_jump',
  from: afterHours(2).toISOString(),
  size: 1,
  ...changes,
});

test('an incident acts from its start to its end', () => {
  const struck = (hours: number) =>
    struckQubit(still, '0', afterHours(hours), [incident({ until: afterHours(4).toISOString() })]).f01 -
    still.f01;
  expect([1, 2, 3, 4].map(struck).map((shift) => Math.round(shift * 1e6))).toEqual([0, 1000, 1000, 0]);
});

test('an incident of a qubit does not affect others; that of an amplifier affects all qubits of its line', () => {
  const noise = (qid: string) =>
    struckQubit(still, qid, afterHours(3), [incident({ incident: 'amplifier_failure' })]).noise / still.noise;
  expect(noise('1')).toBeCloseTo(4.47, 2);
  expect(noise('4')).toBe(1);
  expect(struckQubit(still, '1', afterHours(3), [incident({})])).toEqual(still);
});

test.each([
  ['relaxation_drop', 't1', 0.2],
  ['drive_step', 'maximumRabiFrequency', Math.exp(0.1)],
] as const)('%s changes %s', (kind, name, factor) => {
  const struck = struckQubit(still, '0', afterHours(3), [incident({ incident: kind })]);
  expect(struck[name] / still[name]).toBeCloseTo(factor, 9);
});
