import type { Engine } from './temporal.ts';

/** Milliseconds. A worker polls at least once a minute; one silent for longer is gone, although the engine still lists it. */
const POLLER_LIFE = 75_000;
/** In the engine's enumeration of task queue types. */
const [WORKFLOW_QUEUE, ACTIVITY_QUEUE] = [1, 2];

/** Identities of the workers that poll a queue for activities. A killed worker remains in the list for about a minute. */
export async function activityPollers(engine: Engine, queue: string): Promise<string[]> {
  const { pollers } = await describe(engine, queue, ACTIVITY_QUEUE);
  return pollers.map(({ identity }) => identity ?? '');
}

/** Which workers poll a queue for workflow tasks, and which of them get new runs. */
export interface WorkflowPollers {
  /** Build id of the current version; null if workers without a version get new runs. */
  current: string | null;
  /** Build ids of the workers that poll, each once; null for workers without a version. */
  versions: (string | null)[];
}

/** The workers that poll a queue for workflow tasks. A killed worker remains in the list for about a minute. */
export async function workflowPollers(engine: Engine, queue: string): Promise<WorkflowPollers> {
  const { pollers, current } = await describe(engine, queue, WORKFLOW_QUEUE);
  const versions = pollers.map(({ deploymentOptions: options }) =>
    options?.workerVersioningMode === VERSIONED ? options.buildId || null : null,
  );
  return { current, versions: [...new Set(versions)] };
}

/** A process that polls a queue for workflow tasks. */
export interface WorkerPoller {
  identity: string;
  /** Null for a worker without a version. */
  buildId: string | null;
  seenAt: Date;
}

/** The workers that poll a queue for workflow tasks, and the name under which those with versions are deployed. */
export async function workerPollers(
  engine: Engine,
  queue: string,
): Promise<{ pollers: WorkerPoller[]; deployment: string | null }> {
  const { pollers, deployment } = await describe(engine, queue, WORKFLOW_QUEUE);
  const versioned = pollers.filter(
    ({ deploymentOptions }) => deploymentOptions?.workerVersioningMode === VERSIONED,
  );
  return {
    pollers: pollers.map(({ identity, lastAccessTime, deploymentOptions: options }) => ({
      identity: identity ?? '',
      buildId: options?.workerVersioningMode === VERSIONED ? options.buildId || null : null,
      seenAt: new Date(Number(lastAccessTime?.seconds ?? 0) * 1000),
    })),
    deployment: deployment ?? versioned[0]?.deploymentOptions?.deploymentName ?? null,
  };
}

/** "Versioned" in the engine's enumeration of versioning modes of workers. */
const VERSIONED = 2;

async function describe(engine: Engine, queue: string, taskQueueType: number) {
  const { pollers, versioningInfo } = await engine.connection.workflowService.describeTaskQueue({
    namespace: engine.namespace,
    taskQueue: { name: queue },
    taskQueueType,
  });
  return {
    pollers: (pollers ?? []).filter(
      ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < POLLER_LIFE,
    ),
    current: versioningInfo?.currentDeploymentVersion?.buildId || null,
    deployment: versioningInfo?.currentDeploymentVersion?.deploymentName || null,
  };
}
