import type { CheckForm } from '../check-model.ts';

/** Radians in a turn. */
const TURN = 2 * Math.PI;

/**
 * The same tomography with fewer shots. Creating the gate changes amplitudes and rate, but not the
 * phases.
 */
export const crossResonanceCheck: CheckForm = {
  tests: {
    cr_phase: { tolerance: 0.1, of: 'unit', period: TURN },
    cancel_phase: { tolerance: 0.1, of: 'unit', period: TURN },
  },
};
