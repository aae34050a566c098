import type { CheckForm } from '../check-model.ts';

/** Radians in a turn. */
const TURN = 2 * Math.PI;

/**
 * The same tomography with fewer shots. The making of the gate changes the amplitudes and the rate, and leaves the phases as
 * they are.
 */
export const crossResonanceCheck: CheckForm = {
  tests: {
    cr_phase: { tolerance: 0.1, of: 'unit', period: TURN },
    cancel_phase: { tolerance: 0.1, of: 'unit', period: TURN },
  },
};
