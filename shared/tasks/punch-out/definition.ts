import { qubitTask } from '../common/definition/bases.ts';
import { detuningLimits, powerLimits } from '../common/definition/limits.ts';
import { frequencyOutput } from '../common/definition/outputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { CW_CATEGORY, toneFrequency } from '../common/definition/spectroscopy.ts';
import { resonatorFrequencyWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkPunchOut = defineTask({
  ...qubitTask,
  name: 'CheckPunchOut',
  category: CW_CATEGORY,
  description:
    'Sweeps a readout tone over one resonator at rising power until it becomes independent of its qubit, and finds the bare resonator, the shift by the qubit, and the power at which it vanishes.',
  inputs: { readout_frequency: toneFrequency },
  runParameters: {
    frequency_range: {
      value: [-0.04, 0.02, 121],
      valueType: 'np.linspace',
      unit: 'GHz',
      description: 'Readout frequencies relative to the stored one; a resonator above its qubit shifts down',
      bounds: detuningLimits,
    },
    power_range: {
      value: [-44, 1, 4],
      valueType: 'np.arange',
      unit: 'dB',
      description: 'Readout powers',
      bounds: powerLimits,
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    bare_resonator_frequency: {
      ...frequencyOutput(
        'Frequency of the resonator at high photon numbers, where the qubit no longer shifts it',
      ),
      wander: resonatorFrequencyWander,
    },
    resonator_pull: {
      unit: 'MHz',
      valueType: 'float',
      description:
        'Shift of the resonator by the qubit in its ground state; positive if the qubit is below the resonator',
    },
    punch_out_power: {
      unit: 'dB',
      valueType: 'float',
      description:
        'Power at which a tone on resonance sustains the critical number of photons in the resonator',
      bounds: powerLimits,
    },
  },
  figures: [
    { description: 'Phase steps over power and frequency with the fitted resonator', role: 'marked' },
    {
      description: 'Residuals of the fit, in standard deviations; blank where the resonator is bistable',
    },
  ],
});
