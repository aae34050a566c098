import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../../shared/science/device/random.ts';
import {
  rememberPoints,
  reverseSweep,
  type Spoil,
} from '../../../../../shared/science/device/spoilt-data.ts';
import { analyse } from '../../../../../shared/tasks/analyses.ts';
import { misplacedTrain } from '../../../../../shared/tasks/common/analysis/misplaced-train.ts';
import { gate } from '../../../../../shared/tasks/gates.ts';
import { perfectInputs } from '../../../../support/drag-inputs.ts';
import { at, measure } from '../../../../support/measured.ts';

const SEEDS = ['train-0', 'train-1', 'train-2'];

/** Outcome of a measurement whose data are changed before they are analysed. */
async function outcome(name: string, seed: string, inputs: Record<string, number>, spoil?: Spoil) {
  const measured = await measure(name, seed, { inputs });
  spoil?.(measured.dataset, randomFrom(seed));
  const analysis = analyse(measured);
  return { refusal: gate(measured.task, analysis)?.message ?? null, outputs: analysis.outputs };
}

describe('a pi/2 pulse that rotates by 1.5 % too far', () => {
  const inputsOf = (seed: string) => {
    const { maximumRabiFrequency, rampNs, f01 } = trueQubit(seed, '0', at);
    const perfect = 0.25 / (maximumRabiFrequency * (32 - rampNs));
    return { hpi_amplitude: 1.015 * perfect, qubit_frequency: f01 };
  };

  test('is found with its sign', async () => {
    for (const seed of SEEDS) {
      const { refusal, outputs } = await outcome('CheckHPIPulse', seed, inputsOf(seed));
      expect(refusal).toBeNull();
      const { value = 0, error = 0 } = outputs.hpi_rotation_error ?? {};
      expect(Math.abs(value - 0.015)).toBeLessThan(5 * error);
    }
  });

  test('is found although each point retains a tenth of the previous one', async () => {
    for (const seed of SEEDS) {
      const { refusal, outputs } = await outcome('CheckHPIPulse', seed, inputsOf(seed), rememberPoints);
      expect(refusal).toBeNull();
      const { value = 0, error = 0 } = outputs.hpi_rotation_error ?? {};
      expect(Math.abs(value - 0.015)).toBeLessThan(5 * error);
    }
  });

  test('is not mistaken for another error if points are stored in reverse', async () => {
    for (const seed of SEEDS) {
      const { refusal, outputs } = await outcome('CheckHPIPulse', seed, inputsOf(seed), reverseSweep);
      // A reversed cosine has the same frequency.
      const { value = 0, error = 0 } = outputs.hpi_rotation_error ?? {};
      expect(refusal !== null || Math.abs(value - 0.015) < 5 * error).toBe(true);
    }
  });
});

describe('DRAG pulses that rotate by 0.5 % too far', () => {
  const inputsOf = (seed: string) => {
    const perfect = perfectInputs(seed, '0');
    return {
      ...perfect,
      drag_hpi_amplitude: 1.005 * perfect.drag_hpi_amplitude,
      drag_pi_amplitude: 1.005 * perfect.drag_pi_amplitude,
    };
  };

  test('are corrected', async () => {
    for (const seed of SEEDS) {
      const { refusal, outputs } = await outcome('CheckFineAmplitude', seed, inputsOf(seed));
      expect(refusal).toBeNull();
      expect(outputs.drag_hpi_amplitude_error?.value).toBeGreaterThan(0.003);
    }
  });

  test('are corrected equally although each point retains a tenth of the previous one', async () => {
    for (const seed of SEEDS) {
      const plain = await outcome('CheckFineAmplitude', seed, inputsOf(seed));
      const { refusal, outputs } = await outcome('CheckFineAmplitude', seed, inputsOf(seed), rememberPoints);
      expect(refusal).toBeNull();
      for (const name of ['drag_hpi_amplitude_error', 'drag_pi_amplitude_error']) {
        const [found, expected] = [outputs[name], plain.outputs[name]];
        const difference = Math.abs((found?.value ?? Number.NaN) - (expected?.value ?? Number.NaN));
        expect(difference).toBeLessThan(5 * (found?.error ?? 0));
      }
    }
  });

  test('are not corrected from points that are stored in reverse', async () => {
    for (const seed of SEEDS) {
      const { refusal } = await outcome('CheckFineAmplitude', seed, inputsOf(seed), reverseSweep);
      expect(refusal).not.toBeNull();
    }
  });
});

test('a badly prepared excited state is no evidence against the pulses', () => {
  const good = {
    outOfPhase: 1,
    loss: { value: 0.001, error: 0.001 },
    prepared: { start: { value: 1.01, error: 0.01 }, size: { value: 1.2, error: 0.01 } },
  };
  expect(misplacedTrain(good)).toBeNull();
  const small = { ...good.prepared, size: { value: 0.9, error: 0.01 } };
  expect(misplacedTrain({ ...good, prepared: small })).toMatch(/do not reach the states/);
  const beside = { ...good.prepared, start: { value: 0.9, error: 0.01 } };
  expect(misplacedTrain({ ...good, prepared: beside })).toMatch(/do not start in the prepared ground state/);
  expect(misplacedTrain({ ...good, outOfPhase: -4 })).toMatch(/shifted by 4.0 errors/);
  expect(misplacedTrain({ ...good, loss: { value: -0.01, error: 0.001 } })).toMatch(/polarisation grows/);
});
