import type { Analyse } from '../common/analysis/model.ts';
import { analyseRepetition } from '../common/analysis/pulse-repetition.ts';

/** Repetitions of a DRAG pulse show the same pattern as those of a plain pulse with the same angle. */
export const analyseDragHpiRepetition: Analyse = (input) =>
  analyseRepetition(input, 'hpi', 'drag_hpi_rotation_error');
export const analyseDragPiRepetition: Analyse = (input) =>
  analyseRepetition(input, 'pi', 'drag_pi_rotation_error');
