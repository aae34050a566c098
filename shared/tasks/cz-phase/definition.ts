import { couplingTask } from '../common/definition/bases.ts';
import { czPhaseOutputs, czPulseInputs } from '../common/definition/coupling-values.ts';
import { shotsAndInterval } from '../common/definition/settings.ts';
import { defineTask } from '../model.ts';

/** Maximum distance of a CZ gate's conditional phase from pi, rad. */
const FURTHEST = 0.5;

export const checkCzPhase = defineTask({
  ...couplingTask,
  name: 'CheckCZPhase',
  category: '2Q Calibration',
  description:
    'Plays the CZ pulse between two pi/2 pulses of one qubit, for both states of the other, and vice versa: the fringes give the conditional phase, and the phase of each single qubit.',
  inputs: czPulseInputs,
  runParameters: {
    phase_range: {
      value: [0, 6.283_185_307, 25],
      valueType: 'np.linspace',
      unit: 'a.u.',
      description: 'Phases of the second pi/2 pulse, in radians',
      bounds: { minimum: -100, maximum: 100 },
    },
    ...shotsAndInterval(2048),
  },
  outputs: {
    cz_conditional_phase: {
      unit: 'a.u.',
      valueType: 'float',
      description: 'Phase of |11> in addition to those of both single qubits, in radians: pi for a CZ gate',
      bounds: { minimum: Math.PI - FURTHEST, maximum: Math.PI + FURTHEST },
      role: 'coupling',
    },
    ...czPhaseOutputs,
  },
  figures: [
    { description: 'Fringes of the target for both states of the control, with their fits' },
    { description: 'Fringes of the control for both states of the target, with their fits' },
  ],
});
