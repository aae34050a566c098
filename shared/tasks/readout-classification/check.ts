import type { CheckForm } from '../check-model.ts';

/** Fewer single shots. */
export const readoutClassificationCheck: CheckForm = {
  tests: { average_readout_fidelity: { tolerance: 0.03, of: 'unit' } },
};
