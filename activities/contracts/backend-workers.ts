/** Activities about the workers of backends. Types only. */

/** An activity that a lab's worker may serve on the queue of its backend. */
export interface DescribeActivity {
  describe(request: { contract: number }): Promise<unknown>;
}

/** What a worker answered; null if it does not know the activity. */
export interface WorkerAnswer {
  identity: string;
  description: unknown;
}

/** Activities of queue `calibration`. */
export interface BackendWorkerActivities {
  noteDescriptions(input: { backend: string; answers: readonly WorkerAnswer[] }): Promise<void>;
}
