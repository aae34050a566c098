import type { CheckForm } from '../check-model.ts';

/**
 * The gate that was created, over its amplitude with fewer shots: it keeps its length. The other values of the gate stay as they were or
 * follow the amplitude.
 */
export const createZx90Check: CheckForm = { tests: { cr_amplitude: { tolerance: 0.02, of: 'value' } } };
