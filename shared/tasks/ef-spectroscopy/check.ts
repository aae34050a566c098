import type { CheckForm } from '../check-model.ts';

/** Measures the same line with fewer shots. */
export const efSpectroscopyCheck: CheckForm = { tests: { ef_frequency: { tolerance: 2e-4, of: 'unit' } } };
