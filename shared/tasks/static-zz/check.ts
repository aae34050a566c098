import type { CheckForm } from '../check-model.ts';

/** Both fringes with fewer shots. */
export const staticZzCheck: CheckForm = {
  tests: { static_zz_interaction: { tolerance: 1e-5, of: 'unit' } },
};
