import type { CheckForm } from '../check-model.ts';

/** The same sweep of the amplitude with fewer shots: its fit still shows a shift of a percent. */
export const createHpiCheck: CheckForm = { tests: { hpi_amplitude: { tolerance: 0.02, of: 'value' } } };
export const createPiCheck: CheckForm = { tests: { pi_amplitude: { tolerance: 0.02, of: 'value' } } };
