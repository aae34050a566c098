import { z } from 'zod';
import { number, seconds } from './setting-kinds.ts';

/** Settings for computations of a worker: fits, figures and flows. */
export const computingSettings = {
  ANALYSIS_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe(
      'Threads of a worker for fits, up to 150 MB each; default: one for each of its cores, at most 4.',
    ),
  FIGURE_DRAWING: z
    .enum(['idle', 'immediate'])
    .default('idle')
    .describe(
      'When workers draw the pictures of figures: while they have nothing else to do (idle), or as soon as a task is recorded (immediate), for programs that read the folders themselves. A picture that is requested before is drawn at once.',
    ),
  FLOW_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe(
      'Threads of a worker in which flows compute; default: one less than its cores, 2 to 4. Of several, one is for flows that hardly compute.',
    ),
  FLOW_PROCESSOR_SECONDS: seconds
    .default(60)
    .describe('Seconds of processor time that the code of a flow may have in all of a run.'),
};
