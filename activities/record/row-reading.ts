import { LRUCache } from 'lru-cache';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { keyOf, type TaskId } from '../../shared/kernel/ids.ts';
import { couplingEnds } from '../../shared/tasks/coupling-roles.ts';
import type { createApplier } from './applying.ts';
import type { RecordDependencies } from './dependencies.ts';
import { type Task, targetKind } from './plans.ts';
import type { KnownTarget } from './preparing.ts';
import { rowId, stateOf } from './target-rows.ts';

/** Milliseconds for which the cool-down of a chip is cached for the rows of a run. No cryostat warms up faster. */
const COOLDOWN_KNOWN_FOR = 100;

/** The next task to prepare, and its targets. */
export interface NextTask {
  run: HeldRun;
  stage: number;
  plan: FlowCommandDocument;
  task: Task;
  targets: readonly string[];
  index: number;
  /** Id of the measurement. */
  taskId: TaskId;
  /** The previous task of a single target, if it is known. */
  upstreamId: TaskId;
  /** True if the calibration state of the single target comes from the previous task, so that it need not be read. */
  isPrefetched?: boolean;
  /** True if rows of this task may be stored already. */
  mayExist?: boolean;
}

/** The data from which rows are created; each list is in the order of the targets. */
export interface Reading {
  /** A time just before the data was read, by `performance.now()`. */
  begun: number;
  /** Rows that exist already. */
  before: (TaskResultDocument | null)[];
  states: (Readonly<CalibratedTarget> | null)[];
  qubits: Pick<KnownTarget, 'control' | 'target'>[];
  upstreams: (TaskId | null)[];
  cooldown: string | null;
}

/** Reads the data from which the rows of a task are created. */
export function createRowReading(
  { areas, plans }: Pick<RecordDependencies, 'areas' | 'plans'>,
  { checkHolder }: Pick<ReturnType<typeof createApplier>, 'checkHolder'>,
) {
  const { results } = areas;
  const { state } = areas.chips;

  const cooldowns = new LRUCache<string, Promise<string | null>>({ max: 100, ttl: COOLDOWN_KNOWN_FOR });

  /** The current cool-down of the run's chip. */
  function cooldownOf({ project_id, execution_id, chip_id }: HeldRun): Promise<string | null> {
    const key = keyOf(project_id, execution_id);
    const known = cooldowns.get(key);
    if (known) return known;
    const reading = state.currentCooldown(project_id, chip_id);
    cooldowns.set(key, reading);
    reading.catch(() => cooldowns.delete(key));
    return reading;
  }

  /** The state of the two qubits that a task on a coupling may read. */
  async function qubitsOf(
    run: HeldRun,
    definition: Task['definition'],
    target: string,
  ): Promise<Pick<KnownTarget, 'control' | 'target'>> {
    const ends = definition.taskType === 'coupling' ? couplingEnds(target) : null;
    if (!ends) return {};
    const qubit = (qid: string) => state.read(run.project_id, run.chip_id, 'qubit', qid);
    const [control, other] = await Promise.all([qubit(ends.control), qubit(ends.target)]);
    return { ...(control && { control }), ...(other && { target: other }) };
  }

  /** Reads the data from which the rows of a task are created. */
  async function read({
    run,
    plan,
    task,
    targets,
    taskId,
    upstreamId,
    isPrefetched,
    mayExist,
  }: NextTask): Promise<Reading> {
    const begun = performance.now();
    // A list may start with a task of readout boxes, which reads no state, although later tasks need it.
    const reader =
      [task, ...plans.tasks(plan)].find((each) => targetKind(each.definition) !== null)?.definition ??
      task.definition;
    const [before, states, qubits, upstreams, cooldown] = await Promise.all([
      Promise.all(
        targets.map((target) => (mayExist ? results.get(run.project_id, rowId(task, taskId, target)) : null)),
      ),
      Promise.all(
        targets.map((target) => (isPrefetched ? null : stateOf(state, { run, definition: reader, target }))),
      ),
      Promise.all(targets.map((target) => qubitsOf(run, reader, target))),
      // After a shared task or a pause only the store knows the previous task of a target.
      Promise.all(
        targets.map((target) => upstreamId || results.lastOf(run.project_id, run.execution_id, target)),
      ),
      cooldownOf(run),
      checkHolder(run),
    ]);
    return { begun, before, states, qubits, upstreams, cooldown };
  }

  return { read };
}
