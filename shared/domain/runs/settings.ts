import { number, type SettingsOf } from '../../kernel/setting-kinds.ts';
import { FLOW_LIMITS } from '../flows/rules.ts';

const PARALLEL_RANGE = `must be 1 to ${FLOW_LIMITS.parallel}`;

/** Settings of runs. */
export const runSettings = {
  STAGE_PARALLEL: number
    .int('must be a whole number')
    .min(1, PARALLEL_RANGE)
    .max(FLOW_LIMITS.parallel, PARALLEL_RANGE)
    .default(32)
    .describe('Default number of targets that a stage keeps in flight; a flow may set another.'),
  PREEMPTION_SHARE: number
    .min(0.01, 'must be 0.01 to 1')
    .max(1, 'must be 0.01 to 1')
    .default(0.25)
    .describe(
      'Share of each hour of a long run for which runs of higher priority may use the chip in between, if it allows that.',
    ),
};
export type RunSettings = SettingsOf<typeof runSettings>;
