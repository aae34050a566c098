/** Which versions carry out which runs, and what a rollback does to them. Pure. */
import type { RollbackEffect } from './model.ts';

/** An open run by the versions that carry it out; null stands for workers without a version. */
export interface RunVersions {
  buildId: string | null;
  isPinned: boolean;
  stages: (string | null)[];
}

/**
 * What the promotion of a version does to a run; null if it goes on.
 * @param served versions of which workers are there
 */
export function rollbackEffect(
  { buildId, isPinned, stages }: RunVersions,
  target: string,
  served: ReadonlySet<string | null>,
): RollbackEffect | null {
  const abandoned = [...stages, ...(isPinned ? [buildId] : [])].find(
    (version) => version !== null && !served.has(version),
  );
  if (abandoned !== undefined)
    return { effect: 'stops', reason: `It stays with version ${abandoned}, of which no worker is there.` };
  if (isPinned) return null;
  if (!served.has(target))
    return { effect: 'stops', reason: `No worker of version ${target} is there to take it on.` };
  if (buildId === target) return null;
  const now = buildId === null ? 'workers without a version' : `version ${buildId}`;
  return {
    effect: 'may_stop',
    reason: `It was last carried on by ${now}, and stops if version ${target} would have issued other commands.`,
  };
}

/** The versions that a run needs, each once. */
export function versionsOf({ buildId, stages }: RunVersions): (string | null)[] {
  return [...new Set([buildId, ...stages])];
}
