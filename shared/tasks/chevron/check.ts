import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import type { CheckForm } from '../check-model.ts';

/** Measures a chevron with fewer shots. Its vertex is less sensitive to small shifts than Ramsey fringes. */
const chevronCheck: CheckForm = {
  tests: {
    qubit_frequency: { tolerance: 2e-4, of: 'unit', isFinest: true },
    control_amplitude: { tolerance: 0.05, of: 'value' },
  },
  shots: DEFAULT_SHOTS,
};
export const searchedChevronCheck = chevronCheck;
export const fineChevronCheck = chevronCheck;

/** Its columns are further apart. */
export const coarseChevronCheck: CheckForm = {
  ...chevronCheck,
  tests: { ...chevronCheck.tests, qubit_frequency: { tolerance: 6e-4, of: 'unit', isFinest: true } },
};

/** Measures the oscillations around the frequency with fewer shots. */
export const qubitFrequencyCheck: CheckForm = {
  tests: { qubit_frequency: { tolerance: 2.5e-4, of: 'unit', isFinest: true } },
};
