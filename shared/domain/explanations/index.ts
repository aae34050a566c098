import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createExplanations, type Explaining } from './explain.ts';

/** Explains the origin of calibration values. */
export const explanations = defineArea({
  name: 'explanations',
  indexes: [],
  create: (needs: Kernel & Explaining) => createExplanations(needs),
});
