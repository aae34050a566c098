import type { Analyse } from '../common/analysis/model.ts';

/** For tasks that set something up: whatever data they bring is kept, and nothing is read from it. */
export const analyseNothing: Analyse = () => ({ outputs: {}, r2: null, figures: [] });
