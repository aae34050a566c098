import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type {
  BackendWorkerActivities,
  DescribeActivity,
  WorkerAnswer,
} from '../activities/contracts/backend-workers.ts';
import type { DescriptionRequest } from '../shared/domain/backend-workers/workflow-model.ts';
import { backendQueue } from '../shared/kernel/engine/workflow-ids.ts';

/** Version of the description that is requested from a worker. */
const CONTRACT = 1;

const { noteDescriptions } = proxyActivities<BackendWorkerActivities>({
  startToCloseTimeout: '10s',
  // The next look asks again.
  retry: { maximumAttempts: 3 },
  summary: 'note the descriptions',
});

/**
 * Asks workers of a backend to describe themselves. Workers take what they are asked in turn, so each of them gets about one of
 * the calls. A busy worker does not answer within the time limit, and is asked again later.
 */
export async function backendDescription({ backend, calls }: DescriptionRequest): Promise<void> {
  const { describe } = proxyActivities<DescribeActivity>({
    taskQueue: backendQueue(backend),
    scheduleToStartTimeout: '10s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 1 },
    summary: `describe backend ${backend}`,
  });
  const answers = await Promise.all(
    Array.from({ length: calls }, (): Promise<WorkerAnswer | null> => {
      return describe({ contract: CONTRACT }).then(
        (description) => ({ identity: identityIn(description), description }),
        refusal,
      );
    }),
  );
  const given = answers.filter((answer) => answer !== null);
  if (given.length > 0) await noteDescriptions({ backend, answers: given });
}

function identityIn(description: unknown): string {
  const isObject = typeof description === 'object' && description !== null && 'identity' in description;
  return isObject ? String(description.identity) : '';
}

/** Which worker does not know the activity; null if no worker answered. */
function refusal(thrown: unknown): WorkerAnswer | null {
  if (!(thrown instanceof ActivityFailure) || !(thrown.cause instanceof ApplicationFailure)) return null;
  return { identity: thrown.identity ?? '', description: null };
}
