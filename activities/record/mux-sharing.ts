import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TargetTask } from '../../shared/domain/results/index.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { muxOf } from '../../shared/science/topology/rules.ts';
import type { RecordDependencies } from './dependencies.ts';

/** A shared task that is about to be prepared: its targets in this step, and the ids that its rows would have. */
interface SharedTask {
  run: HeldRun;
  stage: number;
  index: number;
  targets: readonly string[];
  rowId(target: string): string;
}

/** Whom a measurement covers; or, when all of `targets` were covered by an earlier one, who passed it. */
type Sharing = { measured: string[] } | { passed: string[] };

/**
 * Lets the multiplexers of a stage be measured once, although their qubits stand in several steps of its schedule: what
 * leads the task list is measured in the first of these steps for all of them. What comes later in the list is measured
 * in each step, since a qubit has to have gone through the tasks before.
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
    // A row under the id that it is about to get is this measurement's own, prepared before a worker died; one that
    // still runs under another id was cut off by an operator's reset of the stage.
    const isEarlier = (target: string) => {
      const row = here.get(target);
      return row !== undefined && row.task_id !== rowId(target) && row.status !== 'running';
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
