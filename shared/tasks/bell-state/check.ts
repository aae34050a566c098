import type { CheckForm } from '../check-model.ts';

/** Measures the tomography with fewer shots. */
export const bellStateTomographyCheck: CheckForm = {
  tests: { bell_state_fidelity: { tolerance: 0.08, of: 'unit' } },
};
