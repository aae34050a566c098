import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import type { CheckForm } from '../check-model.ts';

/** Measures the same as the task with fewer shots. The task compares with perfect pulses. */
export const checkHpiCheck: CheckForm = {
  tests: { hpi_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
  shots: DEFAULT_SHOTS,
};
export const checkPiCheck: CheckForm = {
  tests: { pi_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
  shots: DEFAULT_SHOTS,
};
