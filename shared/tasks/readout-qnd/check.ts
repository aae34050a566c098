import type { CheckForm } from '../check-model.ts';

/** Measures both readings with fewer shots. */
export const readoutQndCheck: CheckForm = {
  tests: {
    assignment_error_0: { tolerance: 0.07, of: 'unit' },
    assignment_error_1: { tolerance: 0.07, of: 'unit' },
    qnd_fidelity: { tolerance: 0.05, of: 'unit' },
  },
};
