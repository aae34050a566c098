/** Failure types on which a workflow decides; all of ours but one are non-retryable. */
export const failureTypes = {
  /** The execution has ended, its id is another run's, or its request is gone: nothing may run. */
  notStartable: 'ExecutionNotStartable',
  /** A later run holds the project. */
  fenced: 'Fenced',
  /** The flow's code is at fault; the message names its line. */
  flow: 'FlowError',
  /** A value or a text that engine or store cannot hold; it would be refused again. */
  encoding: 'EncodingError',
  /** A commit is not in the backend's files; the message says why. */
  notApplied: 'NotApplied',
  /** Every target failed. */
  noTargetPassed: 'NoTargetPassed',
  /** A backend reported an error. */
  measurement: 'MeasurementError',
  /** The worker is stopping or was cut off, and has stopped its instrument; the measurement may be repeated. */
  workerShutdown: 'WorkerShutdown',
  /** Refusals of updates: the run is paused, is not, or is about to end; it asks nothing, or offers no such answer. */
  alreadyPaused: 'AlreadyPaused',
  notPaused: 'NotPaused',
  runEnding: 'RunEnding',
  notAsked: 'NotAsked',
  noSuchOption: 'NoSuchOption',
  /** The updater cannot read its working tree. */
  workingTree: 'WorkingTreeUnreadable',
  /** The update may not be made, or not any more. */
  updateBlocked: 'UpdateBlocked',
  /** A command of an update failed; the message tells how. */
  command: 'CommandFailed',
  /** The lab's chat does not answer, or asks to wait; the only type here that is retried. */
  chatAway: 'ChatAway',
  /** The SDK's own: an operator reset the activity in the engine's UI; the measurement may be repeated. */
  activityReset: 'ActivityReset',
  /** The SDK's own: the worker does not know the activity. */
  unknownActivity: 'NotFoundError',
} as const;
