import type { CheckForm } from '../check-model.ts';

/**
 * Measures the created gate over its amplitude with fewer shots. Its length is unchanged, and its other values are
 * unchanged or follow the amplitude.
 */
export const createZx90Check: CheckForm = { tests: { cr_amplitude: { tolerance: 0.02, of: 'value' } } };
