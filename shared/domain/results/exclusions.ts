import type { Collection } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId, type TaskId, type UserId } from '../../kernel/ids.ts';
import { revised } from './changes.ts';
import type { ExcludeResult, Exclusion } from './exclusion-model.ts';
import type { TaskResultDocument } from './model.ts';
import { exclusionOf } from './wire.ts';

/** A completed result that metrics exclude, without its values. */
export type LeftOutRow = Pick<
  TaskResultDocument,
  'task_id' | 'qid' | 'task_type' | 'output_parameter_names' | 'closed_at'
>;

/** Results that metrics exclude: those that users excluded, and those that a review holds back until a user decides. */
export function createExclusions(tasks: Collection<TaskResultDocument>) {
  return {
    /**
     * Excludes a result from metrics, or includes it again. The user of the last change is stored in either case, the
     * reason only for an exclusion.
     * @throws not_found
     */
    async exclude(
      projectId: ProjectId,
      taskId: TaskId,
      wanted: ExcludeResult,
      by: { user_id: UserId; username: string },
    ): Promise<Exclusion> {
      const written = await tasks.findOneAndUpdate(
        { _id: keyOf(projectId, taskId) },
        revised({
          $set: {
            excluded: wanted.excluded,
            excluded_reason: wanted.excluded ? (wanted.reason ?? '') : '',
            excluded_by_user_id: by.user_id,
            excluded_by: by.username,
            excluded_at: new Date(),
          },
        }),
        { returnDocument: 'after' },
      );
      if (!written) throw new CalibronError('not_found', 'There is no such task result in this project.');
      // A user has decided, so the review no longer holds the value back.
      await tasks.updateOne(
        { _id: written._id, 'ai_review.held_back': true },
        revised({ $set: { 'ai_review.held_back': false } }),
      );
      return exclusionOf(written);
    },

    /** Results that users excluded or included again, the newest decisions first. */
    async judgedByPeople(
      projectId: ProjectId,
      limit: number,
    ): Promise<{ task_id: TaskId; kept: boolean; at: Date }[]> {
      const found = await tasks
        .find({ project_id: projectId, excluded_at: { $gt: new Date(0) } })
        .sort({ excluded_at: -1, task_id: 1 })
        .limit(limit)
        .project<Pick<TaskResultDocument, 'task_id' | 'excluded' | 'excluded_at'>>({
          _id: 0,
          task_id: 1,
          excluded: 1,
          excluded_at: 1,
        })
        .toArray();
      return found.flatMap(({ task_id, excluded, excluded_at }) =>
        excluded_at ? [{ task_id, kept: excluded !== true, at: excluded_at }] : [],
      );
    },

    /** A chip's completed results that metrics exclude, without duplicates. */
    async *leftOut(
      ofChip: Pick<TaskResultDocument, 'project_id' | 'chip_id'>,
    ): AsyncGenerator<LeftOutRow, void> {
      const fields = {
        _id: 0,
        task_id: 1,
        qid: 1,
        task_type: 1,
        output_parameter_names: 1,
        closed_at: 1,
      } as const;
      // One query for each reason, because each has an index of its own.
      for (const reason of [
        { excluded: true },
        { 'ai_review.held_back': true, excluded: { $ne: true } },
      ] as const) {
        yield* tasks.find({ ...ofChip, ...reason, status: 'completed' }).project<LeftOutRow>(fields);
      }
    },

    /** Ids of a chip's results that metrics exclude. */
    async excludedTasks(projectId: ProjectId, chipId: string): Promise<Set<string>> {
      const ofChip = { project_id: projectId, chip_id: chipId };
      const id = { _id: 0, task_id: 1 } as const;
      // One query for each reason, because each has an index of its own.
      const [excluded, heldBack] = await Promise.all([
        tasks
          .find({ ...ofChip, excluded: true })
          .project<{ task_id: TaskId }>(id)
          .toArray(),
        tasks
          .find({ ...ofChip, 'ai_review.held_back': true })
          .project<{ task_id: TaskId }>(id)
          .toArray(),
      ]);
      return new Set([...excluded, ...heldBack].map(({ task_id }) => task_id));
    },
  };
}
