import type { CheckForm } from '../check-model.ts';

/** Measures the same sweep of the amplitude with fewer shots. Its fit still detects a shift of one percent. */
export const createHpiCheck: CheckForm = { tests: { hpi_amplitude: { tolerance: 0.02, of: 'value' } } };
export const createPiCheck: CheckForm = { tests: { pi_amplitude: { tolerance: 0.02, of: 'value' } } };
