import type { CheckForm } from '../check-model.ts';

/** Radians in a turn. */
const TURN = 2 * Math.PI;

/**
 * Measures the same tomography with fewer shots. The creation of the gate changes amplitudes and rate, but not the
 * phases.
 */
export const crossResonanceCheck: CheckForm = {
  tests: {
    cr_phase: { tolerance: 0.1, of: 'unit', period: TURN },
    cancel_phase: { tolerance: 0.1, of: 'unit', period: TURN },
  },
};
