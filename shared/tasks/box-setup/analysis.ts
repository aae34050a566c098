import type { Analyse } from '../common/analysis/model.ts';

/** Analysis of tasks that set up boxes. Their data are kept, but not evaluated. */
export const analyseNothing: Analyse = () => ({ outputs: {}, r2: null, figures: [] });
