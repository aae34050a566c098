import type { Engine } from './temporal.ts';

/** Milliseconds. A worker polls at least once a minute; one silent for longer is gone, although the engine still lists it. */
const POLLER_LIFE = 75_000;
/** "Activity" in the engine's enumeration of task queue types. */
const ACTIVITY_QUEUE = 2;

/** Identities of the workers that poll a queue for activities. A killed worker remains in the list for about a minute. */
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
