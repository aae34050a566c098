import type { CheckForm } from '../check-model.ts';

/** Radians in a turn. */
const TURN = 2 * Math.PI;

/** Measures the fringes of both qubits with fewer shots. */
export const czPhaseCheck: CheckForm = {
  tests: {
    cz_conditional_phase: { tolerance: 0.15, of: 'unit', shouldBe: Math.PI, period: TURN },
    cz_control_phase: { tolerance: 0.15, of: 'unit', period: TURN },
    cz_target_phase: { tolerance: 0.15, of: 'unit', period: TURN },
  },
};
