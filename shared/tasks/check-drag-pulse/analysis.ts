import type { Analyse } from '../common/analysis/model.ts';
import { analyseRepetition } from '../common/analysis/pulse-repetition.ts';

/** A DRAG pulse repeats the pattern of a plain one that turns by as much. */
export const analyseDragHpiRepetition: Analyse = (input) => analyseRepetition(input, 'hpi');
export const analyseDragPiRepetition: Analyse = (input) => analyseRepetition(input, 'pi');
