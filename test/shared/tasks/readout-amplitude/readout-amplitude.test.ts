import { expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { reflect } from '../../../../shared/science/device/reflection.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { at, measure } from '../../../support/measured.ts';
import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckReadoutAmplitude', {
  inputs: (qubit) => ({ readout_frequency: qubit.resonatorGround }),
  truths: {
    readout_amplitude: (qubit) => {
      const { re, im } = reflect(qubit, 0);
      return (qubit.lineNoise * Math.sqrt(2 * 1024)) / Math.hypot(re, im);
    },
  },
});

test('CheckReadoutAmplitude shows signal, noise and their ratio in panels below each other', async () => {
  const inputs = { readout_frequency: trueQubit('panels', '0', at).resonatorGround };
  const { outputs, figures } = analyse(await measure('CheckReadoutAmplitude', 'panels', { inputs }));
  const [figure] = figures;
  expect(figures).toHaveLength(1);
  const { yaxis, yaxis2, yaxis3 } = figure?.layout ?? expect.fail('no figure');
  expect([yaxis, yaxis2, yaxis3].map((axis) => axis?.title.text)).toEqual([
    'Signal (a.u.)',
    'Noise (a.u.)',
    'Signal over noise',
  ]);
  const [top, middle, bottom] = [yaxis, yaxis2, yaxis3].map(
    (axis) => axis?.domain?.[0] ?? expect.fail('nowhere'),
  );
  expect([bottom, middle, top]).toEqual([bottom, middle, top].sort());
  const chosen = figure?.data.find(({ name }) => name === 'chosen amplitude');
  expect(chosen?.xaxis).toBe('x3');
  expect(chosen?.x[0]).toBeCloseTo(outputs.readout_amplitude?.value ?? Number.NaN, 6);
});
