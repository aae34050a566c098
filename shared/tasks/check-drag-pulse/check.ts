import { DEFAULT_SHOTS } from '../../science/conventions/pulse.ts';
import type { CheckForm } from '../check-model.ts';

/** The task itself compares with perfect pulses; its check takes fewer shots. */
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
