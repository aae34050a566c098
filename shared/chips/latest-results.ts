import type { LatestEntry, TaskResultDocument } from '../results/model.ts';
import { latestEntryOf } from '../results/wire.ts';
import type { QubitValue } from './model.ts';

/** The parameter that decides `over_threshold`, and the fidelity above which it does (spec README, results). */
const fidelityParameter = 'x90_gate_fidelity';
const fidelityThreshold = 0.99;

/** The newest stored result of a task for each target of a chip. */
type LatestByTarget = (
  projectId: string,
  chipId: string,
  task: string,
) => Promise<Map<string, TaskResultDocument>>;

/**
 * The newest result of a task for every qubit of a chip; a qubit without one gets a pending entry.
 * Whether a qubit is over the threshold is its calibration state, whichever task is asked for.
 * @throws not_found when there is no such chip
 */
export function createLatestResults(
  qubitValues: (projectId: string, chipId: string, parameter: string) => Promise<QubitValue[]>,
  latestByTarget: LatestByTarget,
) {
  return async (
    projectId: string,
    chipId: string,
    task: string,
  ): Promise<{ task_name: string; result: Record<string, LatestEntry> }> => {
    const [qubits, latest] = await Promise.all([
      qubitValues(projectId, chipId, fidelityParameter),
      latestByTarget(projectId, chipId, task),
    ]);
    const entries = qubits.map(({ qid, value }) => {
      const overThreshold = typeof value === 'number' && value > fidelityThreshold;
      return [qid, latestEntryOf(latest.get(qid), task, overThreshold)] as const;
    });
    return { task_name: task, result: Object.fromEntries(entries) };
  };
}
