import type { CheckForm } from '../check-model.ts';

/** Both oscillations with fewer shots. */
export const thermalPopulationCheck: CheckForm = {
  tests: { thermal_population: { tolerance: 0.015, of: 'unit' } },
};
