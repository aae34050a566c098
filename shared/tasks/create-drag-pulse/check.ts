import type { CheckForm } from '../check-model.ts';

/**
 * Measures the same sweeps with fewer shots. Their fits still detect a shift of the amplitude far below one percent.
 */
export const createDragHpiCheck: CheckForm = {
  tests: { drag_hpi_amplitude: { tolerance: 0.01, of: 'value' } },
};
export const createDragPiCheck: CheckForm = {
  tests: { drag_pi_amplitude: { tolerance: 0.01, of: 'value' } },
};
