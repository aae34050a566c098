/** What must hold after any failure, in the words of the promises that it would break. */

import { expect } from 'vitest';
import type { JournalEntry } from '../../activities/backends/simulator/journal.ts';
import type { EntityDocument } from '../../shared/domain/provenance/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { isOpenWorkflow } from '../../shared/kernel/engine/workflow-status.ts';
import type { ExecutionId } from '../../shared/kernel/ids.ts';
import type { LabChip, Laboratory } from './laboratory.ts';

/** The same numbers in [0, 1) at each run of a test, so that a failure can be repeated. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** What the simulator noted of a row's measurement, in order. */
const ofTask = (journal: readonly JournalEntry[], { task_id }: TaskResultDocument) =>
  journal.filter((entry) => entry.task_id === task_id);

/** Whether a process was killed at this time or later. */
const diedSince = ({ killed }: Laboratory, pid: number, at: string) =>
  (killed.get(pid) ?? Number.NEGATIVE_INFINITY) >= Date.parse(at);

/**
 * Journal, rows, versions and calibration state of an execution that has ended tell the same story: each place of
 * its plan has one row at most, no measurement was made again unless its worker was lost, and then not beside
 * the one before; each output of a completed row became one version, and nothing else did. Whoever asks for a row's
 * figures gets them.
 * @returns the rows
 */
export async function expectNothingLostOrDoubled(
  lab: Laboratory,
  { projectId, chipId }: LabChip,
  executionId: ExecutionId,
): Promise<TaskResultDocument[]> {
  const [rows, journal, versions] = await Promise.all([
    lab.tasksOf(projectId, executionId),
    lab.journal(projectId, executionId),
    lab.database.db
      .collection<EntityDocument>('provenance_entities')
      .find({ project_id: projectId, execution_id: executionId })
      .toArray(),
  ]);
  const places = rows.map((row) => `${row.stage}/${row.qid}/${row.index}`);
  expect(new Set(places).size, 'a place of the plan has two rows').toBe(places.length);
  expect(rows.filter((row) => row.status === 'running' || row.status === 'pending')).toEqual([]);

  const known = new Set(rows.map((row) => row.task_id));
  expect(journal.filter((entry) => !known.has(entry.task_id))).toEqual([]);
  for (const row of rows) {
    const events = ofTask(journal, row);
    const story = `${row.name} of ${row.qid}: ${events.map(({ event, attempt }) => `${event} ${attempt}`).join(', ')}`;
    const count = (event: JournalEntry['event']) => events.filter((each) => each.event === event).length;
    expect(count('start') - count('abort'), story).toBeLessThanOrEqual(row.attempt);
    // An answer is kept before its end is noted, and a kill comes between.
    const wasCutShort = events.some(({ event, at, pid }) => event === 'start' && diedSince(lab, pid, at));
    if (row.status === 'completed' && !wasCutShort) expect(count('end'), story).toBeGreaterThan(0);
    if (row.status === 'completed') expect(count('start'), story).toBeGreaterThan(0);
    if (row.status === 'skipped') expect(events, story).toEqual([]);
    // A killed process records no end; a living one must have released the instrument.
    const attempts = events.map(({ attempt }) => attempt);
    expect(attempts, story).toEqual(attempts.toSorted((a, b) => a - b));
  }

  for (const path of rows.flatMap(({ figure_path, json_figure_path }) => [
    ...figure_path,
    ...json_figure_path,
  ])) {
    const figure = await lab.areas.artifacts.open(path, { project: projectId });
    await figure.handle.close();
  }

  const learnt = rows
    .filter((row) => row.status === 'completed')
    .flatMap((row) =>
      Object.entries(row.output_parameters).map(([name, { value }]) => `${row.task_id} ${name} ${value}`),
    );
  const recorded = versions.map((each) => `${each.task_id} ${each.parameter_name} ${each.value}`);
  expect(recorded.sort()).toEqual(learnt.sort());

  for (const qid of new Set(rows.map((row) => row.qid))) {
    const target = await lab.areas.chips.state.read(projectId, chipId, 'qubit', qid);
    const held = Object.entries(target?.data ?? {}).filter(([, each]) => each.execution_id === executionId);
    for (const [name, { task_id, value }] of held) expect(learnt).toContain(`${task_id} ${name} ${value}`);
  }
  return rows;
}

/**
 * Of these executions of a project, none began to measure before all that was begun for the ones before it had ended
 * or been aborted.
 */
export async function expectNeverTogether(
  lab: Laboratory,
  { projectId }: LabChip,
  executionIds: readonly ExecutionId[],
): Promise<void> {
  const open = new Map<string, JournalEntry>();
  const together: string[] = [];
  for (const entry of await lab.journals(projectId)) {
    if (!executionIds.includes(entry.execution_id)) continue;
    const key = `${entry.execution_id} ${entry.task_id} ${entry.attempt}`;
    if (entry.event !== 'start') open.delete(key);
    else {
      for (const [other, { execution_id }] of open)
        if (execution_id !== entry.execution_id) together.push(`${key} began while ${other} ran`);
      open.set(key, entry);
    }
  }
  expect(together).toEqual([]);
}

/** Every task was measured and completed, `count` in all. */
export function expectAllCompleted(rows: readonly TaskResultDocument[], count: number): void {
  expect(rows.filter((row) => row.status !== 'completed').map((row) => row.message)).toEqual([]);
  expect(rows).toHaveLength(count);
}

/** Waits until the project is free, then looks for what the dead may have left: locks, runs, stages, executions. */
export async function expectNobodyHolds(lab: Laboratory, { projectId }: LabChip): Promise<void> {
  await lab.free(projectId);
  const lock = await lab.runs.locks.get(projectId);
  expect(lock?.state).not.toBe('held');
  const executions = await lab.database.db
    .collection<{ execution_id: ExecutionId; status: string }>('executions')
    .find({ project_id: projectId })
    .toArray();
  expect(executions.filter(({ status }) => status === 'running' || status === 'scheduled')).toEqual([]);
  const stages = executions.flatMap(({ execution_id }) =>
    Array.from({ length: lock?.stages ?? 0 }, (_, index) => stageWorkflowId(projectId, execution_id, index)),
  );
  expect(
    await Promise.all([lockWorkflowId(projectId), ...stages].map((id) => isOpen(lab, id))),
  ).not.toContain(true);
}

/** Whether a workflow with this id is open; one that the engine never had is not. */
async function isOpen(lab: Laboratory, workflowId: string): Promise<boolean> {
  const description = await lab.engine.client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => null);
  return description !== null && isOpenWorkflow(description.status.name);
}
