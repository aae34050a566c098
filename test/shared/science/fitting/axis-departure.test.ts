import { expect, test } from 'vitest';
import { type Random, randomFrom } from '../../../../shared/science/device/random.ts';
import { leavesAxis } from '../../../../shared/science/fitting/axis-departure.ts';
import { repetitions } from '../../../support/repetitions.ts';

const NOISE = 0.05;
const POINTS = 51;
/** Far from the origin of the IQ plane, so that a change of gain or phase shifts it. */
const GROUND = { re: 0.5, im: 1 };

interface Instrument {
  gain?(part: number): number;
  turn?(part: number): number;
  offset?(part: number): number;
}

const decay = (index: number) => Math.exp(-index / 15);
const oscillation = (index: number) => (1 + Math.cos(index)) / 2;

/**
 * The sweep and the prepared states, on an axis along I. The fault of the instrument depends on the position in the
 * sweep.
 */
function measured(
  random: Random,
  { gain, turn, offset }: Instrument,
  { population = decay, noise = NOISE }: { population?: (index: number) => number; noise?: number } = {},
) {
  const seen = (excited: number, part: number | null) => {
    const [size, angle, moved] =
      part === null ? [1, 0, 0] : [gain?.(part) ?? 1, turn?.(part) ?? 0, offset?.(part) ?? 0];
    const [re, im] = [size * (GROUND.re + excited), size * GROUND.im];
    return {
      re: re * Math.cos(angle) - im * Math.sin(angle) + noise * random.normal(),
      im: re * Math.sin(angle) + im * Math.cos(angle) + moved + noise * random.normal(),
    };
  };
  const points = Array.from({ length: POINTS }, (_, index) => seen(population(index), index / POINTS));
  const states = [0, 1].map((excited) => seen(excited, null));
  const parts = (of: { re: number; im: number }[]) => ({
    re: of.map(({ re }) => re),
    im: of.map(({ im }) => im),
  });
  return { sweep: parts(points), prepared: parts(states) };
}

test('the signal of a stable instrument is almost never reported to leave its axis', () => {
  const random = randomFrom('axis at rest');
  const curves = repetitions({ quick: 400, soak: 100_000 });
  let alarms = 0;
  for (let curve = 0; curve < curves; curve++) {
    const { sweep, prepared } = measured(random, {});
    if (leavesAxis(sweep) || leavesAxis(sweep, prepared, { mayBend: false })) alarms += 1;
  }
  // The limit is two in 50,000: more than one of 400 has a probability of 1e-4, more than 15 of 100,000 one of 1e-6.
  expect(alarms).toBeLessThanOrEqual(curves > 400 ? 15 : 1);
});

test.each<[string, Instrument]>([
  ['an offset that jumps', { offset: (part) => (part > 0.6 ? 0.15 : 0) }],
  ['an offset that drifts', { offset: (part) => 0.3 * part }],
  ['a gain that falls', { gain: (part) => (part > 0.6 ? 0.85 : 1) }],
  ['a phase that slips', { turn: (part) => (part > 0.6 ? 0.15 : 0) }],
])('%s is detected without prepared states', (_, instrument) => {
  const random = randomFrom('changes');
  for (let trial = 0; trial < 10; trial++) {
    expect(leavesAxis(measured(random, instrument, { population: oscillation }).sweep)).toBe(true);
  }
});

test('an offset that drifts like the decay of the qubit, and a shifted line, are detected only with prepared states', () => {
  const random = randomFrom('held by states');
  const instruments: Instrument[] = [
    { offset: (part) => 0.8 * (1 - decay(POINTS * part)) },
    { offset: () => 0.5 },
  ];
  for (const instrument of instruments) {
    for (let trial = 0; trial < 10; trial++) {
      const { sweep, prepared } = measured(random, instrument);
      expect(leavesAxis(sweep)).toBe(false);
      expect(leavesAxis(sweep, prepared)).toBe(true);
    }
  }
});

test('a line that is bent by an amplifier is detected for any order of the points', () => {
  const random = randomFrom('compression');
  const compress = ({ re, im }: { re: number[]; im: number[] }) => {
    const gains = re.map((value, index) => 1 - 0.15 * (value ** 2 + (im[index] ?? 0) ** 2));
    const scaled = (values: number[]) => values.map((value, index) => value * (gains[index] ?? 1));
    return { re: scaled(re), im: scaled(im) };
  };
  for (const population of [decay, oscillation]) {
    for (let trial = 0; trial < 10; trial++) {
      const { sweep, prepared } = measured(random, {}, { population, noise: 0.01 });
      expect(leavesAxis(sweep, prepared, { mayBend: false })).toBe(false);
      expect(leavesAxis(compress(sweep), compress(prepared), { mayBend: false })).toBe(true);
    }
  }
});

test('noise-free data, few points and points at one position do not leave the axis', () => {
  const random = randomFrom('degenerate');
  const { sweep, prepared } = measured(random, {}, { noise: 0 });
  expect(leavesAxis(sweep, prepared)).toBe(false);
  const few = { re: sweep.re.slice(0, 8), im: sweep.im.slice(0, 8) };
  expect(leavesAxis(few)).toBe(false);
  const still = { re: sweep.re.map(() => 1), im: sweep.im.map(() => 1) };
  expect(leavesAxis(still)).toBe(false);
});

test('an offset far larger than the signal does not rotate the axis', () => {
  const random = randomFrom('far from the origin');
  for (let trial = 0; trial < 10; trial++) {
    const { sweep } = measured(random, {}, { population: oscillation });
    const far = { re: sweep.re.map((value) => value + 1e8), im: sweep.im.map((value) => value - 1e8) };
    expect(leavesAxis(far)).toBe(false);
    expect(leavesAxis({ re: far.re, im: far.im.map(() => 1e9 + 0.1) })).toBe(false);
  }
});

test('numbers whose squares overflow do not leave the axis', () => {
  const { sweep } = measured(randomFrom('overflow'), {}, { population: oscillation });
  const huge = (values: readonly number[]) => values.map((value) => 1e200 * value);
  expect(leavesAxis({ re: huge(sweep.re), im: huge(sweep.im) })).toBe(false);
});
