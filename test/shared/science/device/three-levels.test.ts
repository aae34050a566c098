import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { drivenTransition, populationAfter } from '../../../../shared/science/device/driven-transition.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { readOut } from '../../../../shared/science/device/readout.ts';
import { readOutLevels } from '../../../../shared/science/device/three-level-readout.ts';
import { populationsAfterTone } from '../../../../shared/science/device/three-levels.ts';

const qubit = trueQubit('levels', '3', new Date('2026-03-01T00:00:00Z'));
const quiet = { ...qubit, t1: 1e6, t2Echo: 2e6, thermalPopulation: 0 };
const f12 = qubit.f01 + qubit.anharmonicity;

describe('a transmon of three levels', () => {
  test('drives its second transition √2 times as fast as its first, and hardly affects the other', () => {
    const rabiFrequency = 2e-3;
    const first = { frequency: qubit.f01, rabiFrequency, durationNs: 250 };
    const second = { frequency: f12, rabiFrequency, durationNs: 250 / Math.SQRT2 };
    const climbed = populationsAfterTone(quiet, { excited: 0, second: 0 }, first);
    expect(climbed.excited).toBeGreaterThan(0.999);
    expect(populationsAfterTone(quiet, { excited: 1, second: 0 }, second).second).toBeGreaterThan(0.999);
    expect(populationsAfterTone(quiet, { excited: 0, second: 0 }, second).excited).toBeLessThan(1e-3);
  });

  test('follows the textbook Rabi oscillation of two levels for a weak drive, with decay', () => {
    const drive = { rabiFrequency: 3e-3, detuning: 1e-3, durationNs: 700 };
    const expected = populationAfter(qubit, drivenTransition(qubit, drive));
    const tone = { frequency: qubit.f01 + drive.detuning, ...drive };
    const found = populationsAfterTone(qubit, { excited: qubit.thermalPopulation, second: 0 }, tone);
    expect(Math.abs(found.excited - expected)).toBeLessThan(0.01);
  });

  test('decays step by step, the second level twice as fast, to its thermal population', () => {
    const cold = { ...qubit, thermalPopulation: 0 };
    const still = { frequency: qubit.f01, rabiFrequency: 0, durationNs: 1000 * qubit.t1 };
    const after = populationsAfterTone(cold, { excited: 0, second: 1 }, still);
    expect(after.second).toBeCloseTo(Math.exp(-2), 6);
    expect(after.excited).toBeCloseTo(2 * (Math.exp(-1) - Math.exp(-2)), 6);
    const late = populationsAfterTone(qubit, { excited: 1, second: 0 }, { ...still, durationNs: 3e7 });
    expect(late.excited).toBeCloseTo(qubit.thermalPopulation, 2);
  });

  test('is read like two levels if the second excited state is empty', () => {
    const settings = {
      frequency: qubit.readoutFrequency,
      amplitude: qubit.readoutAmplitude,
      lengthNs: qubit.readoutLengthNs,
      shots: 1e12,
    };
    const populations = [0, 0.3, 1];
    const two = readOut(qubit, settings, populations, randomFrom('a'));
    const three = readOutLevels(
      qubit,
      settings,
      populations.map((excited) => ({ excited, second: 0 })),
      randomFrom('b'),
    );
    for (const part of ['re', 'im'] as const) {
      for (const [index, value] of two[part].entries()) expect(three[part][index]).toBeCloseTo(value, 5);
    }
  });
});
