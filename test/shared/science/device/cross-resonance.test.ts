import { describe, expect, test } from 'vitest';
import { controlMixing, precession } from '../../../../shared/science/device/cross-resonance.ts';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { CR_GAIN, staticZz, type TruePair, truePair } from '../../../../shared/science/device/pair-device.ts';
import { at } from '../../../support/measured.ts';
import { pairs } from '../../../support/pairs.ts';

const pairOf = (seed: string, control: string, target: string) =>
  truePair(seed, { control, target }, trueQubit(seed, control, at), trueQubit(seed, target, at));

/** The pair of the specification: D = −728 MHz, J = 4 MHz, both anharmonicities −390 MHz. */
const reference: TruePair = {
  ...pairOf('reference', '0', '1'),
  control: { ...trueQubit('reference', '0', at), f01: 8, anharmonicity: -0.39 },
  target: { ...trueQubit('reference', '1', at), f01: 8.728, anharmonicity: -0.39 },
  exchange: 0.004,
  crosstalk: 0,
  drivePhase: 0,
};

/** Terms of a tone of the given Rabi frequency on the control, MHz. */
function terms(pair: TruePair, rabiFrequency: number) {
  const drive = {
    amplitude: rabiFrequency / (CR_GAIN * pair.control.maximumRabiFrequency),
    phase: 0,
    cancelAmplitude: 0,
    cancelPhase: 0,
    rotaryAmplitude: 0,
    frequency: pair.target.f01,
  };
  const [ground, excited] = [precession(pair, drive, 0), precession(pair, drive, 1)];
  return { ix: 500 * (ground.x + excited.x), zx: 500 * (ground.x - excited.x) };
}

describe('the cross resonance', () => {
  test('equals exact diagonalisation for the pair of the specification', () => {
    const weak = terms(reference, 0.05);
    expect(Math.abs(weak.zx)).toBeCloseTo(0.096, 2);
    expect(Math.abs(weak.ix)).toBeCloseTo(0.179, 2);
    expect(Math.abs(terms(reference, 0.546).zx)).toBeCloseTo(0.917, 1);
  });

  test('rotates with the phase of its tone, and has the opposite sign in the second half of an echo', () => {
    const drive = {
      amplitude: 0.1,
      phase: 0.3,
      cancelAmplitude: 0.01,
      cancelPhase: 1,
      rotaryAmplitude: 0.02,
      frequency: reference.target.f01,
    };
    const forth = precession(reference, drive, 0);
    const back = precession(reference, drive, 0, -1);
    expect(back.x).toBeCloseTo(-forth.x, 12);
    expect(back.y).toBeCloseTo(-forth.y, 12);
    expect(back.z).toBe(forth.z);
  });
});

describe('a pair of the hidden device', () => {
  test('has the same exchange in both directions, and separate lines in each', () => {
    const [forth, back] = [pairOf('pair', '0', '1'), pairOf('pair', '1', '0')];
    expect(forth.exchange).toBe(back.exchange);
    expect(forth.drivePhase).not.toBe(back.drivePhase);
    expect(pairOf('other', '0', '1').exchange).not.toBe(forth.exchange);
  });

  test('is within the ranges of the specification, with a ZZ and a control that allow a gate', () => {
    for (const [control, target] of pairs) {
      const pair = pairOf('ranges', control, target);
      expect(pair.exchange).toBeGreaterThanOrEqual(0.002);
      expect(pair.exchange).toBeLessThanOrEqual(0.005);
      expect(Math.abs(staticZz(pair))).toBeGreaterThan(1e-6);
      expect(Math.abs(staticZz(pair))).toBeLessThan(3e-4);
      expect(controlMixing(pair, 0.2)).toBeLessThan(1e-3);
    }
  });

  test.each([
    ['the same frequency as the control', 0],
    ['that of the step to its third level', 1],
    ['half of the way from its first level to its third', 0.5],
  ])('loses the state of its control if the target has %s', (_place, share) => {
    const f01 = reference.control.f01 + share * reference.control.anharmonicity;
    const collided = { ...reference, target: { ...reference.target, f01 } };
    expect(controlMixing(collided, 0.2)).toBeGreaterThan(0.1);
    const apart = { ...collided, target: { ...collided.target, f01: f01 - 0.1 } };
    expect(controlMixing(apart, 0.2)).toBeLessThan(0.02);
  });
});
