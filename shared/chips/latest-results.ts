import { CalibronError } from '../errors.ts';
import type { LatestEntry, TaskResultDocument } from '../results/model.ts';
import { latestEntryOf } from '../results/wire.ts';

/** The newest stored result of a task for each target of a chip. */
type LatestByTarget = (
  projectId: string,
  chipId: string,
  task: string,
) => Promise<Map<string, TaskResultDocument>>;

/**
 * The newest result of a task for every qubit of a chip; a qubit without one gets a pending entry.
 * @throws not_found when there is no such chip
 */
export function createLatestResults(
  qubitIds: (projectId: string, chipId: string) => Promise<string[]>,
  latestByTarget: LatestByTarget,
) {
  return async (
    projectId: string,
    chipId: string,
    task: string,
  ): Promise<{ task_name: string; result: Record<string, LatestEntry> }> => {
    const [qids, latest] = await Promise.all([
      qubitIds(projectId, chipId),
      latestByTarget(projectId, chipId, task),
    ]);
    if (qids.length === 0) throw new CalibronError('not_found', 'There is no such chip in this project.');
    const entries = qids.map((qid) => [qid, latestEntryOf(latest.get(qid), task)] as const);
    return { task_name: task, result: Object.fromEntries(entries) };
  };
}
