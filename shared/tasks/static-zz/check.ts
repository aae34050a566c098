import type { CheckForm } from '../check-model.ts';

/** Measures both fringes with fewer shots. */
export const staticZzCheck: CheckForm = {
  tests: { static_zz_interaction: { tolerance: 1e-5, of: 'unit' } },
};
