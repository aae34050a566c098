import { expect, test } from 'vitest';
import type { Dataset } from '../../../../shared/science/datasets/model.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { instrumentFault } from '../../../../shared/science/fitting/instrument-fault.ts';
import { readPopulationScale } from '../../../../shared/science/fitting/population-scale.ts';

const NOISE = 0.02;
const REPETITIONS = 10;

/**
 * The fault of a sweep of these populations whose signals drift across the axis, and are shifted while a control is
 * excited. All signals have the same noise.
 */
function faultOf(
  seed: number,
  populations: readonly number[],
  { drift = 0, crosstalk = 0 }: { drift?: number; crosstalk?: number } = {},
): string | null {
  const random = randomFrom('instrument fault', seed);
  const noisy = (values: readonly number[]) => values.map((value) => value + NOISE * random.normal());
  const prepared = [0, 1].flatMap((state) => Array.from({ length: REPETITIONS }, () => state));
  const states = crosstalk === 0 ? 1 : 2;
  const points = populations.length / states;
  const besides = populations.map(
    (_, index) => (drift * index) / populations.length + (index < points ? 0 : crosstalk),
  );
  const signals = {
    iq_re: { dims: ['control_state', 'point'], values: noisy(populations) },
    iq_im: { dims: ['control_state', 'point'], values: noisy(besides) },
    reference_re: { dims: ['state', 'repetition'], values: noisy(prepared) },
    reference_im: { dims: ['state', 'repetition'], values: noisy(prepared.map(() => 0)) },
  };
  const described = { unit: 'a.u.', long_name: '' };
  const dataset: Dataset = {
    dims: { control_state: states, point: points, state: 2, repetition: REPETITIONS },
    coordinates: { state: { dims: ['state'], values: [0, 1], ...described } },
    variables: Object.fromEntries(
      Object.entries(signals).map(([name, signal]) => [name, { ...signal, ...described }]),
    ),
  };
  const scale = readPopulationScale(dataset);
  return typeof scale === 'string' ? expect.fail(scale) : instrumentFault(dataset, ['iq'], scale);
}

const falling = Array.from({ length: 40 }, (_, index) => 1 - index / 39);

test('an offset that drifts like the population is not a tilt of the axis of the prepared states', () => {
  for (let seed = 0; seed < 100; seed++) {
    expect(faultOf(seed, falling)).toBeNull();
    expect(faultOf(seed, falling, { drift: 0.3 })).toMatch(/^the signal moves across the axis/);
  }
});

test('a signal that is shifted by the state of a neighbour is not a fault of the instrument; one that also drifts is', () => {
  for (let seed = 0; seed < 100; seed++) {
    expect(faultOf(seed, [...falling, ...falling], { crosstalk: 0.08 })).toBeNull();
    expect(faultOf(seed, [...falling, ...falling], { crosstalk: 0.08, drift: 0.6 })).toMatch(
      /^the signal moves across the axis/,
    );
  }
});

test('the error of the prepared states is not a fault of a long sweep, wherever its points are', () => {
  const slow = Array.from({ length: 600 }, (_, index) => (1 - Math.cos(index / 30)) / 2);
  for (let seed = 0; seed < 100; seed++) {
    expect(faultOf(seed, slow)).toBeNull();
  }
});
