/**
 * Failure types that workflows distinguish. All of our own are non-retryable, except `chatAway`, `missingTask`, and `outOfSpace`
 * of record keeping.
 */
export const failureTypes = {
  /** The run must not start: the execution has ended, its id belongs to another run, or its request is gone. */
  notStartable: 'ExecutionNotStartable',
  /** The workflow was started by hand, with an input that no run has. */
  notARun: 'NotARun',
  /** A later run holds the lock of the project. */
  fenced: 'Fenced',
  /** An error in the flow's code; the message names the line. */
  flow: 'FlowError',
  /** A value or text that the engine or the store cannot hold. A retry would fail again. */
  encoding: 'EncodingError',
  /** A commit was not applied to the backend's files; the message says why. */
  notApplied: 'NotApplied',
  /** Every target failed. */
  noTargetPassed: 'NoTargetPassed',
  /** A backend reported an error. */
  measurement: 'MeasurementError',
  /** A disk takes no more data. The failed step is repeated once there is space. */
  outOfSpace: 'OutOfSpace',
  /** A planned task is not in the release of the worker. The step is repeated until a worker's release has it. */
  missingTask: 'MissingTask',
  /** The worker is stopping or lost its connection, and has stopped its instrument. The measurement may be repeated. */
  workerShutdown: 'WorkerShutdown',
  /**
   * Refused updates: the run is already paused, not paused or about to end; another run may not use the chip in between; or the
   * run has no such question or answer.
   */
  alreadyPaused: 'AlreadyPaused',
  notPaused: 'NotPaused',
  runEnding: 'RunEnding',
  notPreemptible: 'NotPreemptible',
  notAsked: 'NotAsked',
  noSuchOption: 'NoSuchOption',
  /** The updater cannot read its working tree. */
  workingTree: 'WorkingTreeUnreadable',
  /** The update is not allowed, or no longer allowed. */
  updateBlocked: 'UpdateBlocked',
  /** A command of an update failed; the message contains the reason. */
  command: 'CommandFailed',
  /** The lab's chat does not answer, or asks to wait. It is retried. */
  chatAway: 'ChatAway',
  /** From the SDK: an operator reset the activity in the engine's UI. The measurement may be repeated. */
  activityReset: 'ActivityReset',
  /** From the SDK: the worker does not know the activity. */
  unknownActivity: 'NotFoundError',
} as const;
