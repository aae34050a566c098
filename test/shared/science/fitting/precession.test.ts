import { expect, test } from 'vitest';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { crossResonanceTerms } from '../../../../shared/science/fitting/cross-resonance-terms.ts';
import { fitSteps } from '../../../../shared/science/fitting/cross-resonance-tomography.ts';
import type { Trajectory } from '../../../../shared/science/fitting/precession.ts';
import { rotateVector, rotationAbout, type Vector } from '../../../../shared/science/quantum/rotations.ts';

const TIMES = Array.from({ length: 51 }, (_, index) => 35 + 20 * index);
const DRIVE = { x: 1.9e-3, y: 0.6e-3 };
const RATE = Math.hypot(DRIVE.x, DRIVE.y);
/** Deviation of a point, of the amplifier alone. */
const SIGMA = 0.015;

/** The pole after a precession at frequencies in GHz, with the given detuning of either sign in half of the shots. */
function measured(seed: string, halfSplitting: number, drive = DRIVE): Trajectory {
  const random = randomFrom(seed, 'precession');
  const after = (time: number, z: number): Vector =>
    rotateVector(
      rotationAbout({ x: 2 * Math.PI * drive.x, y: 2 * Math.PI * drive.y, z: 2 * Math.PI * z }, time),
      { x: 0, y: 0, z: 1 },
    );
  const component = (axis: keyof Vector) =>
    TIMES.map((time) => {
      const [above, below] = [after(time, halfSplitting)[axis], after(time, -halfSplitting)[axis]];
      return (above + below) / 2 + SIGMA * random.normal();
    });
  return [component('x'), component('y'), component('z')];
}

/** Deviations of the rate and the squared splitting of one step, in errors. */
function pulls(seed: string, halfSplitting: number): { rate: number; splitting: number } {
  const tones = { amplitude: 0.5, phase: 0, cancelAmplitude: 0, cancelPhase: 0 };
  const target = [
    measured(`${seed}, ground`, halfSplitting),
    measured(`${seed}, excited`, halfSplitting),
  ] as const;
  // With this number of shots, the amplifier dominates the noise.
  const { steps, splitting, beside } = fitSteps(
    { times: TIMES, across: SIGMA, steps: [{ tones, target, control: [[], []] }] },
    1e9,
  );
  const fit = steps[0]?.fits[0].fit;
  if (fit?.ok !== true || splitting === null) return expect.fail('no fit');
  const [x = 0, y = 0] = fit.parameters;
  const [[xx = 0, xy = 0] = [], [, yy = 0] = []] = fit.covariance;
  const alone = Math.sqrt(x ** 2 * xx + 2 * x * y * xy + y ** 2 * yy) / Math.hypot(x, y);
  const other = beside[0]?.fits[0].fit;
  const [otherX = 0, otherY = 0] = other?.ok ? other.parameters : [];
  const bySplitting = Math.hypot(otherX, otherY) - Math.hypot(x, y);
  return {
    rate: (Math.hypot(x, y) - RATE) / Math.hypot(alone, bySplitting),
    splitting: (splitting.value - halfSplitting ** 2) / splitting.error,
  };
}

const rms = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);

test.each([0, 0.5e-4, 1e-4, 2.5e-4])(
  'a target that is %s GHz above or below its middle frequency precesses at the rate of its drive, and its splitting is found',
  (halfSplitting) => {
    const found = Array.from({ length: 24 }, (_, index) => pulls(`seed ${index}`, halfSplitting));
    for (const which of ['rate', 'splitting'] as const) {
      const values = found.map((each) => each[which]);
      // Of 24 honest pulls the RMS scatters by 0.14.
      expect(rms(values)).toBeGreaterThan(0.5);
      expect(rms(values)).toBeLessThan(1.5);
    }
  },
);

test('an uncertain splitting shifts both precessions of a step almost equally, and hardly changes their difference', () => {
  const tones = { amplitude: 0.5, phase: 0, cancelAmplitude: 0, cancelPhase: 0 };
  const [fast, slow] = [4e-3, 2e-3];
  const target = [measured('fast', 0, { x: fast, y: 0 }), measured('slow', 0, { x: slow, y: 0 })] as const;
  const { steps, splitting, beside } = fitSteps(
    { times: TIMES, across: SIGMA, steps: [{ tones, target, control: [[], []] }] },
    1e9,
  );
  const rate = (of: typeof steps) => crossResonanceTerms(of, 1)?.rate.value ?? Number.NaN;
  const moved = Math.abs(rate(beside) - rate(steps)) / (splitting?.error ?? Number.NaN);
  // Each precesses at √(rate² + splitting); an independent shift of the difference would be 1 / (fast − slow).
  const expected = (1 / (2 * slow) - 1 / (2 * fast)) / 2;
  expect(moved / expected).toBeGreaterThan(0.5);
  expect(moved / expected).toBeLessThan(1.5);
});
