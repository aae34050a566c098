import type { Engine } from './temporal.ts';

/** Milliseconds: a worker asks at least once a minute; one that is longer silent is gone, though the engine still lists it. */
const POLLER_LIFE = 75_000;
/** Number of "activity" among the engine's kinds of task queue. */
const ACTIVITY_QUEUE = 2;

/** Identities of the workers that ask for the activities of a queue. One that was killed is among them for a minute. */
export async function activityPollers(engine: Engine, queue: string): Promise<string[]> {
  const { pollers } = await engine.connection.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name: queue },
    taskQueueType: ACTIVITY_QUEUE,
  });
  const asking = (pollers ?? []).filter(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < POLLER_LIFE,
  );
  return asking.map(({ identity }) => identity ?? '');
}
