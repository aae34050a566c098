import { foreignLines } from './foreign-lines.ts';
import type { Listed } from './model.ts';

/** Data as labs send it. */
export const labs: readonly Listed[] = [...foreignLines];
