import type { CheckForm } from '../check-model.ts';

/** Measures both oscillations with fewer shots. */
export const thermalPopulationCheck: CheckForm = {
  tests: { thermal_population: { tolerance: 0.015, of: 'unit' } },
};
