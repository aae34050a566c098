import { describe, expect, test } from 'vitest';
import {
  applyPulse,
  applyPulses,
  equilibrium,
  excitedPopulation,
  wait,
} from '../../../../shared/science/device/bloch.ts';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { drivenTransition, populationAfter } from '../../../../shared/science/device/driven-transition.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { jitterT2 } from '../../../../shared/tasks/t2-echo/simulation.ts';
import { at } from '../../../support/measured.ts';

const qubit = { ...trueQubit('bloch', '0', at), t1: 50, t2Echo: 40, t2Star: 20 };
const hpi = { amplitude: 0.25 / (qubit.maximumRabiFrequency * 20), lengthNs: 32, detuning: 0 };

describe('a pulse on the Bloch sphere', () => {
  test('rotates by a quarter turn at the start amplitude of a pi/2 pulse', () => {
    const after = applyPulse(qubit, equilibrium(qubit), hpi);
    expect(after.z).toBeCloseTo(0, 2);
    expect(after.y).toBeCloseTo(-1 + 2 * qubit.thermalPopulation, 2);
    expect(excitedPopulation(applyPulses(qubit, equilibrium(qubit), hpi, 2))).toBeCloseTo(
      1 - qubit.thermalPopulation,
      2,
    );
  });

  test('excites according to the textbook formula, on resonance and detuned', () => {
    for (const detuning of [0, 0.003, -0.01, 0.02]) {
      const pulse = { amplitude: 0.0125 / qubit.maximumRabiFrequency, lengthNs: 72, detuning };
      const drive = { rabiFrequency: 0.0125, detuning, durationNs: 60 };
      const expected = populationAfter(qubit, drivenTransition(qubit, drive));
      expect(excitedPopulation(applyPulse(qubit, equilibrium(qubit), pulse))).toBeCloseTo(expected, 2);
    }
  });

  test('describes the precession and the decay of coherence of a waiting qubit', () => {
    const equator = { x: 1, y: 0, z: 0 };
    const quarter = wait(qubit, equator, { durationNs: 250, detuning: 0.001 });
    expect(quarter.y).toBeCloseTo(-Math.exp(-250 / 40_000), 6);
    expect(wait(qubit, equator, { durationNs: 20_000, detuning: 0, t2: 20 }).x).toBeCloseTo(Math.exp(-1), 6);
    expect(wait(qubit, { x: 0, y: 0, z: -1 }, { durationNs: 1e9, detuning: 0 }).z).toBeCloseTo(
      1 - 2 * qubit.thermalPopulation,
      9,
    );
  });
});

describe('the fluctuation of T2', () => {
  test('never exceeds 2 T1', () => {
    const random = randomFrom('t2');
    for (const t2Echo of [10, 60, 99, 130]) {
      for (let index = 0; index < 50; index++) {
        expect(jitterT2({ ...qubit, t2Echo }, random).t2Echo).toBeLessThanOrEqual(100 + 1e-9);
      }
    }
  });
});
