import type { CheckForm } from '../check-model.ts';

/** The same sweeps with fewer shots: their fits still show a shift of the amplitude far below a percent. */
export const createDragHpiCheck: CheckForm = {
  tests: { drag_hpi_amplitude: { tolerance: 0.01, of: 'value' } },
};
export const createDragPiCheck: CheckForm = {
  tests: { drag_pi_amplitude: { tolerance: 0.01, of: 'value' } },
};
