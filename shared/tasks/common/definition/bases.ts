import { SIMULATOR_BACKEND } from '../../model.ts';

/** Seconds a measurement may take when its task needs no more. */
export const DEFAULT_TIMEOUT = 3600;
/** A fit with r2 at or below this fails, unless the task says otherwise. */
const DEFAULT_R2_THRESHOLD = 0.7;

/** What most tasks are: they measure one target after the other and fit what they see. */
export const measuredTask = {
  backends: [SIMULATOR_BACKEND],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

export const qubitTask = { ...measuredTask, taskType: 'qubit' } as const;
/** A qubit is set up and driven the same whatever its coherence times are; Ramsey refines a frequency that is in use. */
export const coherenceTask = { ...qubitTask, goesOnWhenRefused: true } as const;
export const couplingTask = { ...measuredTask, taskType: 'coupling' } as const;
