import type { Analyse } from '../common/analysis/model.ts';
import { analyseRepetition } from '../common/analysis/pulse-repetition.ts';

export const analyseHpiRepetition: Analyse = (input) => analyseRepetition(input, 'hpi', 'hpi_rotation_error');
export const analysePiRepetition: Analyse = (input) => analyseRepetition(input, 'pi', 'pi_rotation_error');
