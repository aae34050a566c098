/** Signals of runs, as the API sends them and the workflows take them. */
export const signalNames = {
  /** {by}: begin no measurement until `resume`. */
  pause: 'pause',
  resume: 'resume',
  /** {by}: end the run once the measurements in flight have ended. */
  stopAfterCurrent: 'stop_after_current',
  /** {index}: the approval that this command asks for has been answered. */
  approval: 'approval',
} as const;
