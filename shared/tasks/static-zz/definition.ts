import { couplingTask } from '../common/definition/bases.ts';
import { inputsOf } from '../common/definition/coupling-values.ts';
import { detuningLimits } from '../common/definition/limits.ts';
import { dragHpiInputs } from '../common/definition/qubit-inputs.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

export const checkStaticZz = defineTask({
  ...couplingTask,
  name: 'CheckStaticZZ',
  category: '2Q Calibration',
  description:
    'Ramsey fringes of the target with the control in its ground and in its excited state; their frequencies differ by the static ZZ interaction.',
  inputs: {
    ...inputsOf('control', dragHpiInputs),
    ...inputsOf('target', dragHpiInputs),
  },
  runParameters: {
    detuning: {
      value: 0.001,
      valueType: 'float',
      unit: 'GHz',
      description: 'Drive frequency above the stored frequency of the target',
      bounds: detuningLimits,
    },
    time_range: {
      value: [0, 10_001, 100],
      valueType: 'np.arange',
      unit: 'ns',
      description: 'Free time between the pulses',
      bounds: { minimum: 0, maximum: 1_000_000 },
    },
    ...shotsAndInterval(1024),
  },
  outputs: {
    static_zz_interaction: {
      unit: 'GHz',
      valueType: 'float',
      description: "Increase of one qubit's frequency by an excitation of the other, without any drive",
      role: 'coupling',
    },
  },
  figures: [
    { description: 'Fringes of the target with the control in its ground state, with the fit' },
    { description: 'Fringes of the target with the control in its excited state, with the fit' },
  ],
});
