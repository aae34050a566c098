/**
 * What runs are asked for from outside, as the API sends it and the workflows take it. Each is an update, which is checked
 * and answered, and a signal, which people send by hand and which waits for a worker.
 */
export const messageNames = {
  /** {by}: begin no measurement until `resume`. */
  pause: 'pause',
  resume: 'resume',
  /** {by}: end the run once the measurements in flight have ended. */
  stopAfterCurrent: 'stop_after_current',
  /** {index, answer, by}: an answer to the question that this command asks; a signal without one says that the store has it. */
  approval: 'approval',
  /** To a delivery of messages, as a signal alone: the store has one more. */
  chatWaiting: 'chat_waiting',
} as const;
