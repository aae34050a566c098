import type { Analyse } from '../common/analysis/model.ts';
import { analyseRepetition } from '../common/analysis/pulse-repetition.ts';

/** A DRAG pulse repeats the pattern of a plain one that turns by as much. */
export const analyseDragHpiRepetition: Analyse = (input) =>
  analyseRepetition(input, 'hpi', 'drag_hpi_rotation_error');
export const analyseDragPiRepetition: Analyse = (input) =>
  analyseRepetition(input, 'pi', 'drag_pi_rotation_error');
