import { SIMULATOR_BACKEND } from '../../model.ts';

/** Default time limit of a measurement, in seconds. */
export const DEFAULT_TIMEOUT = 3600;
/** Default threshold: a fit with r2 at or below it fails. */
const DEFAULT_R2_THRESHOLD = 0.7;

/** Defaults of most tasks: they measure one target after the other and fit the data. */
export const measuredTask = {
  backends: [SIMULATOR_BACKEND],
  scope: 'target',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: DEFAULT_R2_THRESHOLD,
} as const;

export const qubitTask = { ...measuredTask, taskType: 'qubit' } as const;
/**
 * Coherence times do not affect how a qubit is set up and driven. Ramsey is an exception: it refines a frequency that is
 * in use.
 */
export const coherenceTask = { ...qubitTask, goesOnWhenRefused: true } as const;
export const couplingTask = { ...measuredTask, taskType: 'coupling' } as const;
