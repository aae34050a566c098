import type { Collection } from 'mongodb';
import { coalescedInserts } from '../../kernel/coalesced-inserts.ts';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { coalescedMatches } from '../../kernel/coalesced-updates.ts';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { firstRevision, revised } from './changes.ts';
import type { StoredRunParameter, TaskOutcome, TaskPass, TaskResultDocument } from './model.ts';
import { createTaskEnds } from './task-ends.ts';

/** The lifecycle of a task: created, measured, given its outcome, ended. Final statuses never change. */
export function createTaskLife(tasks: Collection<TaskResultDocument>) {
  const find = coalesced((ids) => tasks.find({ _id: { $in: [...ids] } }).toArray());
  const insert = coalescedInserts(tasks);
  const rewrite = coalescedMatches(tasks);
  return {
    /**
     * Creates several tasks at once, each only if it is missing.
     * @returns the number of created tasks
     */
    async createMany(documents: readonly TaskResultDocument[]): Promise<number> {
      const closed_at = new Date();
      return insert(
        documents.map((document) => ({
          ...document,
          ...firstRevision(),
          closed_at: document.end_at && closed_at,
        })),
      );
    },

    /** Replaces a task that was created before, or taken back, and has not changed since. */
    async remake(
      { _id, created_at, status }: Pick<TaskResultDocument, '_id' | 'created_at' | 'status'>,
      { _id: _same, ...document }: TaskResultDocument,
    ): Promise<void> {
      await tasks.updateOne(
        { _id, status, created_at, outcome: { $exists: false } },
        revised({ $set: { ...document, closed_at: document.end_at && new Date() } }),
      );
    },

    /**
     * Makes a running task pending, because its measurement was taken back from the queue of its backend. A task that has an
     * outcome, or has measured before in another pass, does not change.
     */
    async takeBack(projectId: ProjectId, taskIds: readonly TaskId[], message: string): Promise<void> {
      await tasks.updateMany(
        {
          _id: { $in: taskIds.map((id) => keyOf(projectId, id)) },
          status: 'running',
          outcome: { $exists: false },
          'passes.0': { $exists: false },
        },
        revised({ $set: { status: 'pending', message, start_at: null, deadline: null } }),
      );
    },

    get: (projectId: ProjectId, taskId: TaskId) => find(keyOf(projectId, taskId)),

    /**
     * Writes the outcome of a task that is still running and has none; the first outcome wins. If the task started
     * another pass since it was read, it has no outcome yet.
     * @param row the task as it was read or created
     * @returns the current task with its effective outcome; null if it has ended meanwhile
     */
    async setOutcome(
      row: TaskResultDocument,
      outcome: TaskOutcome,
      attempt: number,
    ): Promise<TaskResultDocument | null> {
      const { _id, passes = [] } = row;
      const filter = {
        _id,
        status: 'running' as const,
        outcome: { $exists: false },
        [`passes.${passes.length}`]: { $exists: false },
      };
      const update = { $set: { outcome, attempt } };
      const isWritten =
        (await rewrite({ filter, update })) ?? (await tasks.updateOne(filter, update)).matchedCount === 1;
      return isWritten ? { ...row, outcome, attempt } : tasks.findOne({ _id, status: 'running' });
    },

    /**
     * Records on a running task that it measures again, and with which settings; a pass is recorded once.
     * @param deadline its new time limit; by default it stays the same
     * @returns the current task, null if it has ended meanwhile
     */
    async addPass(
      projectId: ProjectId,
      taskId: TaskId,
      pass: TaskPass,
      { run, deadline }: { run: Record<string, StoredRunParameter>; deadline?: Date | undefined },
    ): Promise<TaskResultDocument | null> {
      const _id = keyOf(projectId, taskId);
      const written = await tasks.findOneAndUpdate(
        { _id, status: 'running', outcome: { $exists: false }, 'passes.id': { $ne: pass.id } },
        revised({ $push: { passes: pass }, $set: { run_parameters: run, ...(deadline && { deadline }) } }),
        { returnDocument: 'after' },
      );
      return written ?? tasks.findOne({ _id, status: 'running', 'passes.id': pass.id });
    },

    ...createTaskEnds(tasks),

    /** Whether there are measurements in a cool-down. */
    async anyOfCooldown(projectId: ProjectId, cooldownId: string): Promise<boolean> {
      const found = await tasks.findOne(
        { project_id: projectId, cooldown_id: cooldownId },
        { projection: { _id: 1 } },
      );
      return found !== null;
    },
  };
}
