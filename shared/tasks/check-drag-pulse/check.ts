import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import type { CheckForm } from '../check-model.ts';

/** Measures the same as the task with fewer shots. The task compares with perfect pulses. */
export const checkDragHpiCheck: CheckForm = {
  tests: { drag_hpi_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
  shots: DEFAULT_SHOTS,
};
export const checkDragPiCheck: CheckForm = {
  tests: { drag_pi_rotation_error: { tolerance: 0.02, of: 'unit', shouldBe: 0 } },
  isAgainstPerfect: true,
  shots: DEFAULT_SHOTS,
};
