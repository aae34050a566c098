import { qubitTask } from '../common/definition/bases.ts';
import { amplitudeLimits } from '../common/definition/limits.ts';
import { amplitudeOutput } from '../common/definition/outputs.ts';
import { driveInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Fraction of the best fidelity to reach. A weaker readout may cost at most half a percent of it. */
export const DEFAULT_FIDELITY_FRACTION = 0.995;

export const checkOptimalReadoutAmplitude = defineTask({
  ...qubitTask,
  name: 'CheckOptimalReadoutAmplitude',
  category: '1Q Coarse',
  description:
    'Measures single shots of both states at increasing readout amplitudes and takes the smallest that distinguishes them as well as the best.',
  inputs: driveInputs,
  runParameters: {
    amplitude_range: {
      value: [0.01, 0.25, 0.01],
      valueType: 'np.arange',
      unit: 'a.u.',
      description: 'Amplitudes of the readout pulse',
      bounds: amplitudeLimits,
    },
    fidelity_fraction: {
      value: DEFAULT_FIDELITY_FRACTION,
      valueType: 'float',
      unit: '',
      description:
        'Fraction of the best fidelity to reach; a smaller fraction gives a weaker readout, which disturbs the qubit less',
      bounds: { minimum: 0.5, maximum: 0.9999 },
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    readout_amplitude: amplitudeOutput(
      'Smallest readout amplitude with the fidelity_fraction of the best fidelity',
    ),
  },
  figures: [
    { description: 'Fidelity against the readout amplitude' },
    { description: 'Single shots prepared in 0, in the IQ plane' },
    { description: 'Single shots prepared in 1, in the IQ plane' },
  ],
  r2Threshold: null,
});
