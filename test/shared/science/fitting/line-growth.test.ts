import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { photonsOf } from '../../../../shared/science/fitting/line-growth.ts';
import { findLines, findQubitLine, phaseMap } from '../../../../shared/science/fitting/qubit-map.ts';

const RULES = { plus: 3, minus: -2, topPower: 0, leastHeight: 14.9 };

interface DrivenLine {
  place: number;
  /** Rabi frequency, GHz, at an amplitude of the drive. */
  rabi(amplitude: number): number;
}

/** A readout whose phase is proportional to the excitation of the lines. */
function mapOf(seed: string, lines: readonly DrivenLine[]) {
  const x = Array.from({ length: 300 }, (_, index) => 8 + 0.005 * index);
  const y = Array.from({ length: 12 }, (_, index) => -60 + 5 * index);
  const random = randomFrom(seed);
  const excited = y.map((power) =>
    x.map((frequency) =>
      lines.reduce((sum, { place, rabi }) => {
        const squared = rabi(10 ** (power / 20)) ** 2;
        return sum + squared / (2 * (squared + (frequency - place) ** 2 + 2.25e-6));
      }, 0),
    ),
  );
  const noise = () => 0.02 * random.normal();
  return {
    x,
    y,
    re: excited.map((row) => row.map((share) => 1 - 0.5 * share + noise())),
    im: excited.map((row) => row.map((share) => share + noise())),
  };
}

const f01: DrivenLine = { place: 8.901, rabi: (amplitude) => 0.2 * amplitude };

test.each([
  { photons: 1, rabi: (amplitude: number) => 0.15 * amplitude },
  { photons: 2, rabi: (amplitude: number) => 0.8 * amplitude ** 2 },
])('a line of $photons photons is identified by its growth with the power', ({ photons, rabi }) => {
  for (const seed of ['a', 'b', 'c']) {
    const signal = mapOf(`${seed}${photons}`, [f01, { place: 8.702, rabi }]);
    const map = phaseMap(signal);
    const mask = findLines(map, RULES);
    const near = map.frequencies.flatMap((frequency, column) =>
      Math.abs(frequency - 8.702) < 0.004 ? [column] : [],
    );
    const column = near.reduce((a, b) => ((mask.tips[b] ?? 12) < (mask.tips[a] ?? 12) ? b : a));
    expect(photonsOf(signal, mask, { column, tip: mask.tips[column] ?? 0 })).toBe(photons);
  }
});

test('noise has no number of photons', () => {
  const signal = mapOf('noise', []);
  const mask = { components: signal.y.map(() => signal.x.map(() => 1)), heights: [], tips: [] };
  expect(photonsOf(signal, mask, { column: 40, tip: 6 })).toBeUndefined();
});

/** Lines in columns 10 and 40, 150 MHz apart, down to the given rows. */
function twoTips(lower: number, upper: number) {
  const frequencies = Array.from({ length: 50 }, (_, column) => 8 + 0.005 * column);
  const powers = Array.from({ length: 12 }, (_, row) => -60 + 5 * row);
  const isLine = (row: number, column: number) =>
    (column === 10 && row >= lower) || (column === 40 && row >= upper);
  const phases = powers.map((_, row) => frequencies.map((_, column) => (isLine(row, column) ? 0.5 : 0)));
  const map = { frequencies, powers, phases };
  return { map, mask: findLines(map, RULES) };
}

test.each([
  { text: 'as tall', lower: 5, upper: 5 },
  { text: 'taller', lower: 4, upper: 5 },
])('the upper line is f01 if the lower one is $text and takes two photons', ({ lower, upper }) => {
  const { map, mask } = twoTips(lower, upper);
  const found = findQubitLine(map, mask, RULES, ({ column }) => (column === 10 ? 2 : 1));
  expect(found).toMatchObject({ column: 40, twoPhoton: [10] });
});

test('neither line is f01 if both take one photon or their photons are unknown, and both are named', () => {
  const { map, mask } = twoTips(5, 5);
  for (const photons of [1, undefined] as const) {
    expect(findQubitLine(map, mask, RULES, () => photons)).toMatch(/^lines at 8\.050 GHz and 8\.200 GHz/);
  }
});

test('a single two-photon line is not f01', () => {
  const { map, mask } = twoTips(12, 5);
  expect(findQubitLine(map, mask, RULES, () => 2)).toMatch(/f01 is above it and not visible$/);
});
