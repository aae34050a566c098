import { couplingTask } from '../common/definition/bases.ts';
import { czPulseOutputs, fluxPairInputs } from '../common/definition/coupling-values.ts';
import { amplitudeLimits, positiveLimits } from '../common/definition/limits.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkCzChevron = defineTask({
  ...couplingTask,
  name: 'CheckCZChevron',
  category: '2Q Calibration',
  description:
    'Excites both qubits and plays flux pulses of varied length and amplitude: near the resonance of |11> and |20> the population oscillates between them, slowest and deepest on resonance. Determines amplitude and length of the CZ pulse, for pairs with a flux line.',
  inputs: fluxPairInputs,
  runParameters: {
    flux_amplitude_range: {
      value: [0.1, 0.5, 161],
      valueType: 'np.linspace',
      unit: 'a.u.',
      description: 'Amplitudes of the flux pulse; those beyond flux_pulse_limit are left out',
      bounds: amplitudeLimits,
      limitedBy: 'flux_pulse_limit',
    },
    time_range: {
      value: [0, 401, 10],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Lengths of the flux pulse',
      bounds: { minimum: 0, maximum: 10_000 },
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    ...czPulseOutputs,
    cz_splitting: {
      unit: 'MHz',
      valueType: 'float',
      description:
        'Splitting of |11> and |20> at their avoided crossing: 2√2 times the coupling of the qubits',
      bounds: positiveLimits,
      role: 'coupling',
    },
  },
  figures: [
    {
      description: 'Population of the lower qubit against amplitude and length, with the pulse found',
    },
    { description: 'Population against the length at the amplitude nearest to resonance, with the fit' },
  ],
});
