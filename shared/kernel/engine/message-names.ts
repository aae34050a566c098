/**
 * Names of external requests to runs, used by the API and the workflows. Each exists as an update, which is validated and
 * answered, and as a signal, which operators can send by hand and which waits for a worker.
 */
export const messageNames = {
  /** {by}: start no measurement until `resume`. */
  pause: 'pause',
  resume: 'resume',
  /** {by}: end the run when the measurements in flight have ended. */
  stopAfterCurrent: 'stop_after_current',
  /** Update only. A run with a higher priority uses the chip in between: its input as a workflow. Answered once it has started. */
  preempt: 'preempt',
  /** {index, answer, by}: the answer to the question of this command. A signal without an answer: it is in the store. */
  approval: 'approval',
  /** Signal only, to a workflow that delivers chat messages: there is a new message in the store. */
  chatWaiting: 'chat_waiting',
} as const;
