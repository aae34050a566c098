import type { CheckForm } from '../check-model.ts';

/** Measures fewer single shots. */
export const readoutClassificationCheck: CheckForm = {
  tests: { average_readout_fidelity: { tolerance: 0.03, of: 'unit' } },
};
