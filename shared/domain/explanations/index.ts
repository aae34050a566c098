import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createExplanations, type Explaining } from './explain.ts';

/** Why calibration values are what they are. */
export const explanations = defineArea({
  name: 'explanations',
  indexes: [],
  create: (needs: Kernel & Explaining) => createExplanations(needs),
});
