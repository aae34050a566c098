/** Step prepare: decides whether a mux must still be measured. */
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TargetTask } from '../../shared/domain/results/index.ts';
import { isTaskEnd } from '../../shared/domain/results/status-rules.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { muxOf } from '../../shared/science/topology/rules.ts';
import type { RecordDependencies } from './dependencies.ts';

/** A shared task that will be prepared next: its targets in this step, and the ids that its rows would get. */
interface SharedTask {
  run: HeldRun;
  stage: number;
  index: number;
  targets: readonly string[];
  rowId(target: string): string;
}

/** The targets that must be measured; or, if an earlier measurement covered all of them, those that passed it. */
type Sharing = { measured: string[] } | { passed: string[] };

/**
 * Lets each mux of a stage be measured once, although its qubits occur in several steps of the schedule. Tasks at the start of
 * the list are measured for all qubits in the first of these steps. Later tasks are measured in each step, because a qubit must
 * have passed the tasks before them.
 */
export function createMuxSharing({ areas: { results } }: Pick<RecordDependencies, 'areas'>) {
  return async (plan: FlowCommandDocument, shared: SharedTask): Promise<Sharing> => {
    const { run, stage, index, targets, rowId } = shared;
    const leads = plan.tasks.slice(0, index + 1).every(({ scope }) => scope === 'mux');
    if (!leads || (plan.schedule?.length ?? 1) < 2) return { measured: [...targets] };
    const muxes = new Set(targets.map((target) => muxOf(Number(target))));
    const mates = plan.targets.filter((target) => muxes.has(muxOf(Number(target))));
    const rows = await results.ofTargets(run.project_id, run.execution_id, stage, mates);
    const at = (position: number) => new Map(rows.filter(isAt(position)).map((row) => [row.qid, row]));
    const [here, before] = [at(index), at(index - 1)];
    // A row with the id that this measurement will get is its own, prepared before a worker died. An open row with another id
    // was interrupted by an operator's reset of the stage.
    const isEarlier = (target: string) => {
      const row = here.get(target);
      return row !== undefined && row.task_id !== rowId(target) && isTaskEnd(row.status);
    };
    if (targets.every(isEarlier)) {
      return { passed: targets.filter((target) => here.get(target)?.status === 'completed') };
    }
    const cameHere = (target: string) => index === 0 || before.get(target)?.status === 'completed';
    return {
      measured: mates.filter((mate) => targets.includes(mate) || (!isEarlier(mate) && cameHere(mate))),
    };
  };
}

function isAt(index: number): (row: TargetTask) => boolean {
  return (row) => row.index === index;
}
