import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { isTaskEnd } from '../../shared/domain/results/status-rules.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { NO_TASK } from '../../shared/kernel/ids.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import { prepareCheck } from './check-rows.ts';
import type { FreshRow } from './fresh-rows.ts';
import { type Task, targetKind } from './plans.ts';
import {
  inputsOf,
  type KnownTarget,
  missingInputsAhead,
  newTaskRow,
  type ResolvedInputs,
  resolveInputs,
} from './preparing.ts';
import type { NextTask, Reading } from './row-reading.ts';
import { rowId } from './target-rows.ts';

/** A target that will be measured next; its row is stored. */
export interface Prepared {
  row: TaskResultDocument;
  inputs: ResolvedInputs;
}

/** Rows to measure, and rows that failed before a measurement. */
export interface Made {
  prepared: Prepared[];
  failed: TaskResultDocument[];
  /** Whether some of the rows existed already. */
  repeated: boolean;
}

/** The same rows before they are stored. */
export interface Rows extends Made {
  /** The rows that must be stored. */
  missing: TaskResultDocument[];
  /** Stored rows whose measurement was taken back, each with the row that replaces it. */
  replaced: { stored: TaskResultDocument; row: TaskResultDocument }[];
  fresh: FreshRow[];
}

/** A row that does not exist yet: to measure, or failed before a measurement. */
type NewRow = { failed: TaskResultDocument } | { prepared: Prepared };

/**
 * Creates the rows of a task from the data that was read. Existing rows are not changed, except for those whose measurement was
 * taken back: they are prepared again with the current calibration values.
 * @param planned all tasks of the list
 */
export function rowsFrom(next: NextTask, reading: Reading, planned: readonly Task[]): Rows {
  const { task, targets, taskId } = next;
  const { begun, before, states, qubits } = reading;
  const calibrated = states.map((own, position) => own && { ...own, ...qubits[position] });
  const at = timeOfRows(next.run, states);
  // Whether some existing rows must still be measured.
  const isUnderWay = before.some((row) => !row || !isTaskEnd(row.status));
  const prepared: Prepared[] = [];
  const failed: TaskResultDocument[] = [];
  const fresh: FreshRow[] = [];
  const replaced: Rows['replaced'] = [];
  const hasState = targetKind(task.definition) !== null;
  for (const [position, target] of targets.entries()) {
    const stored = before[position];
    if (stored && stored.status !== 'pending') {
      // The row keeps its original values; the task itself may have changed the state since.
      if (isUnderWay && stored.status === 'failed' && !stored.goes_on) failed.push(stored);
      else prepared.push({ row: stored, inputs: inputsOf(stored) });
      continue;
    }
    const state = calibrated[position] ?? null;
    const identity = {
      run: next.run,
      stage: next.stage,
      target,
      index: next.index,
      task_id: rowId(task, taskId, target),
      upstream_id: stored?.upstream_id ?? reading.upstreams[position] ?? NO_TASK,
    };
    const empty = newTaskRow(identity, task, reading.cooldown, at);
    // A worker may have begun the attempt that was taken back.
    const row = stored ? { ...empty, attempt: stored.attempt + 1 } : empty;
    const made = newRow(row, { task, state, at, planned });
    if (stored) replaced.push({ stored, row: 'failed' in made ? made.failed : made.prepared.row });
    if ('failed' in made) failed.push(made.failed);
    else {
      prepared.push(made.prepared);
      fresh.push({ row: made.prepared.row, calibrated: hasState ? state : null, begun });
    }
  }
  const isStored = new Set([...before, ...replaced.map(({ row }) => row)]);
  const missing = [...prepared.map(({ row }) => row), ...failed].filter((row) => !isStored.has(row));
  return { prepared, failed, fresh, missing, replaced, repeated: missing.length < targets.length };
}

/** Resolves the inputs of a row. @param state the calibration state of its target; null if the chip has no such target */
function newRow(
  empty: TaskResultDocument,
  { task, state, at, planned }: { task: Task; state: KnownTarget | null; at: Date; planned: readonly Task[] },
): NewRow {
  const { definition } = task;
  const known = state ?? { qid: empty.qid, data: {} };
  const inputs = resolveInputs(task, known);
  const unknown =
    state === null && targetKind(definition) !== null
      ? `The chip has no ${definition.taskType} ${empty.qid}.`
      : null;
  // Checks the inputs of the whole list before its first task, so that no measurement is wasted.
  const inVain = unknown ?? (empty.index === 0 ? missingInputsAhead(planned, known) : null);
  const problem = inVain ?? inputs.problem;
  const row: TaskResultDocument = {
    ...empty,
    input_parameters: inputs.parameters,
    used_entities: inputs.used,
  };
  if (problem !== null) {
    const goes_on = inVain === null && definition.goesOnWhenRefused;
    return { failed: { ...row, ...failedAt(at, problem), ...(goes_on && { goes_on }) } };
  }
  const deadline = new Date(at.getTime() + definition.timeout * 1000);
  const run_parameters = runWithinLimits(definition, row.run_parameters, inputs.values).run;
  const checked = prepareCheck(task, known, { run: run_parameters, values: inputs.values });
  if (typeof checked === 'string') return { failed: { ...row, ...failedAt(at, checked), goes_on: true } };
  const own = checked && { run_parameters: checked.run, check: checked.check };
  return { prepared: { row: { ...row, run_parameters, deadline, ...own }, inputs } };
}

/** The end of a row that is not measured. */
function failedAt(at: Date, message: string) {
  return { status: 'failed', message, end_at: at, elapsed_time: 0 } as const;
}

/**
 * The creation time of rows. It is not before the last write to their targets in the same run, even if the machine that wrote
 * it has a clock that is ahead.
 */
function timeOfRows({ epoch }: HeldRun, states: Reading['states']): Date {
  const written = states.flatMap((state) =>
    state?.epoch === epoch && state.updated_at ? [state.updated_at.getTime()] : [],
  );
  return new Date(Math.max(Date.now(), ...written));
}
