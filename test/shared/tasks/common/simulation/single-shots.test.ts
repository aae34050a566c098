import { expect, test } from 'vitest';
import { trueQubit } from '../../../../../shared/science/device/device.ts';
import { randomFrom } from '../../../../../shared/science/device/random.ts';
import { readOut } from '../../../../../shared/science/device/readout.ts';
import { mean } from '../../../../../shared/science/fitting/statistics.ts';
import { readShots } from '../../../../../shared/tasks/common/simulation/single-shots.ts';
import { at } from '../../../../support/measured.ts';

test.each([0, 0.3, 1])(
  'the average of single shots of a population of %d equals the averaged readout',
  (population) => {
    const qubit = trueQubit('drag', '0', at);
    const settings = {
      frequency: qubit.readoutFrequency,
      amplitude: qubit.readoutAmplitude,
      lengthNs: 384,
      shots: 20_000,
    };
    const shots = readShots(qubit, settings, population, randomFrom('shots', population));
    const averaged = readOut(qubit, settings, [population], { ...randomFrom('none'), normal: () => 0 });
    expect(Math.abs(mean(shots.re) - (averaged.re[0] ?? 0))).toBeLessThan(0.002);
    expect(Math.abs(mean(shots.im) - (averaged.im[0] ?? 0))).toBeLessThan(0.002);
  },
);
