import { coherenceTask } from '../common/definition/bases.ts';
import { coherenceTimeLimits, detuningLimits, timeLimits } from '../common/definition/limits.ts';
import { qubitFrequencyOutput } from '../common/definition/outputs.ts';
import { plainPulseInputs, qubitFrequency, readoutInputs } from '../common/definition/qubit-inputs.ts';
import { fineTimes, shotsAndInterval } from '../common/definition/settings.ts';
import { coherenceWander } from '../common/definition/wander.ts';
import { defineTask } from '../model.ts';

export const checkRamsey = defineTask({
  ...coherenceTask,
  name: 'CheckRamsey',
  category: '1Q Coarse',
  description:
    'Lets the qubit precess between two detuned pi/2 pulses, measures both axes of the equator and fits the fringes; corrects the qubit frequency.',
  inputs: { qubit_frequency: qubitFrequency, ...plainPulseInputs('hpi'), ...readoutInputs },
  runParameters: {
    detuning: {
      value: 0.001,
      valueType: 'float',
      unit: 'GHz',
      description: 'Drive frequency above the believed qubit frequency',
      bounds: detuningLimits,
    },
    time_range: {
      value: [0, 10_001, 100],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Free time between the pulses',
      bounds: timeLimits,
    },
    fine_time_range: fineTimes([10, 100, 10], 'free times'),
    ...shotsAndInterval(1024),
  },
  outputs: {
    ramsey_frequency: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Frequency of the fringes: the drive frequency less the true one, with its sign',
    },
    qubit_frequency: qubitFrequencyOutput,
    t2_star: {
      unit: 'us',
      valueType: 'float',
      description: 'Coherence time without an echo',
      bounds: coherenceTimeLimits,
      wander: coherenceWander,
    },
  },
  figures: [
    { description: 'Fringe along X against the free time with the fit' },
    { description: 'Fringe along Y against the free time with the fit' },
    { description: 'Both fringes in the XY plane: the spiral of the precession' },
  ],
});
