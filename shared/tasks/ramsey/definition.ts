import { coherenceTask } from '../common/definition/bases.ts';
import { coherenceTimeLimits, detuningLimits, timeLimits } from '../common/definition/limits.ts';
import { qubitFrequencyOutput } from '../common/definition/outputs.ts';
import {
  dragHpiInputs,
  plainPulseInputs,
  qubitFrequency,
  readoutInputs,
} from '../common/definition/qubit-inputs.ts';
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
      description: 'Drive frequency above the stored qubit frequency',
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
      description: 'Frequency of the fringes: the drive frequency minus the true one, with its sign',
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

export const checkFineFrequency = defineTask({
  ...coherenceTask,
  name: 'CheckFineFrequency',
  category: '1Q Fine',
  description:
    'Lets the qubit precess between two DRAG pi/2 pulses for times up to its full coherence time, measures both axes of the equator, and corrects the qubit frequency by the remaining fraction of a turn.',
  inputs: dragHpiInputs,
  runParameters: {
    detuning: {
      value: 0.0002,
      valueType: 'float',
      unit: 'GHz',
      description:
        'Phase advance of the second pulse in turns per ns, which makes fringes with a resonant drive',
      bounds: detuningLimits,
    },
    time_range: {
      value: [2.3, 4.7, 41],
      valueType: 'np.logspace',
      unit: 'ns',
      description: 'Free time between the pulses; start and stop are powers of ten',
      bounds: timeLimits,
    },
    ...shotsAndInterval(4096),
  },
  outputs: {
    qubit_frequency: qubitFrequencyOutput,
    frequency_correction: {
      unit: 'MHz',
      valueType: 'float',
      description: 'Difference of the qubit frequency from the stored one',
    },
  },
  figures: [
    { description: 'Fringe along X against the free time with the fit' },
    { description: 'Fringe along Y against the free time with the fit' },
  ],
});
