import { CR_STEPS } from '../../science/conventions/cross-resonance.ts';
import { couplingTask } from '../common/definition/bases.ts';
import { crossResonanceOutputs, pairInputs } from '../common/definition/coupling-values.ts';
import { betaLimits } from '../common/definition/limits.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Time limit in seconds. The tomography of four steps takes longer than any other measurement of a pair. */
const TOMOGRAPHY_TIMEOUT = 1500;

const steps = Array.from({ length: CR_STEPS }, (_, index) => index + 1);

export const checkCrossResonance = defineTask({
  ...couplingTask,
  name: 'CheckCrossResonance',
  category: '2Q Calibration',
  description:
    'Drives the control at the frequency of the target and follows the target for both states of the control; turns the phase until ZY vanishes and cancels IX and IY.',
  inputs: pairInputs,
  runParameters: {
    time_range: {
      value: [0, 1001, 20],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Lengths of the flat part of the cross-resonance pulse',
      bounds: { minimum: 0, maximum: 100_000 },
    },
    cancel_beta: {
      value: 0,
      valueType: 'float',
      unit: 'ns',
      description: 'Weight of the derivative in the cancel tone',
      bounds: betaLimits,
    },
    rotary_amplitude: {
      value: 0,
      valueType: 'float',
      unit: 'a.u.',
      description: "Amplitude of the gate's rotary tone",
      bounds: { minimum: -1, maximum: 1 },
    },
    ...shotsAndInterval(2048),
  },
  outputs: crossResonanceOutputs,
  figures: [
    { description: 'Coefficients IX, IY, IZ, ZX, ZY, ZZ against the step' },
    ...steps.flatMap((step) => [
      { description: `Step ${step}: polarisation of the control against the length of the pulse` },
      { description: `Step ${step}: Bloch vector of the target against the length, for both control states` },
    ]),
  ],
  timeout: TOMOGRAPHY_TIMEOUT,
});
