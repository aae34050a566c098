import type { Collection } from 'mongodb';
import { type ExecutionId, keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { revised } from './changes.ts';
import type { AiReviewState, TaskResultDocument } from './model.ts';

type Note = NonNullable<TaskResultDocument['ai_review_note']>;
/** A result and one of its reviews. */
type ReviewOfResult = { project_id: ProjectId; task_id: TaskId; review_run_id: string };

/** States of a review in progress. */
const UNDER_WAY = ['requested', 'running'] as const;

/** State of each result's newest review; the reviews themselves are stored elsewhere. */
export function createReviewState(tasks: Collection<TaskResultDocument>) {
  return {
    /**
     * Claims a result for the review of a run; repeatable by the same run. A value held back by an earlier review stays
     * held back until this review has decided.
     * @returns false if the review of another run is in progress or was requested later, or this run's review has ended
     */
    async claimReview(projectId: ProjectId, taskId: TaskId, state: AiReviewState): Promise<boolean> {
      const _id = keyOf(projectId, taskId);
      const { review_run_id, requested_at } = state;
      const free = {
        _id,
        'ai_review.status': { $nin: [...UNDER_WAY] },
        'ai_review.review_run_id': { $ne: review_run_id },
        // A run that continues after a crash may be older than a review that has ended meanwhile.
        'ai_review.requested_at': { $not: { $gte: requested_at } },
      };
      for (const held_back of [true, false]) {
        const { matchedCount } = await tasks.updateOne(
          { ...free, 'ai_review.held_back': held_back ? true : { $ne: true } },
          revised({ $set: { ai_review: { ...state, held_back } } }),
        );
        if (matchedCount === 1) return true;
      }
      const own = {
        _id,
        'ai_review.status': { $in: [...UNDER_WAY] },
        'ai_review.review_run_id': review_run_id,
      };
      return (await tasks.countDocuments(own, { limit: 1 })) === 1;
    },

    /** Marks a review of a run as in progress. */
    async beginReview({ project_id, task_id, review_run_id }: ReviewOfResult): Promise<void> {
      await tasks.updateOne(
        {
          _id: keyOf(project_id, task_id),
          'ai_review.status': 'requested',
          'ai_review.review_run_id': review_run_id,
        },
        revised({ $set: { 'ai_review.status': 'running' as const } }),
      );
    },

    /**
     * Records the end of a run's review. Idempotent: a recorded end, or a claim of another run, is not changed.
     * @param note replaces the note of the previous review
     */
    async endReview(
      { project_id, task_id, review_run_id }: ReviewOfResult,
      end: Pick<AiReviewState, 'status' | 'completed_at' | 'error' | 'decision'> & { held_back?: boolean },
      note?: Note,
    ): Promise<void> {
      const fields = Object.entries(end).map(([name, value]) => [`ai_review.${name}`, value] as const);
      await tasks.updateOne(
        {
          _id: keyOf(project_id, task_id),
          'ai_review.status': { $in: [...UNDER_WAY] },
          'ai_review.review_run_id': review_run_id,
        },
        revised({ $set: { ...Object.fromEntries(fields), ...(note && { ai_review_note: note }) } }),
      );
    },

    /** Those of the given results for which the review of a run has not ended. */
    async waitingForReview(
      projectId: ProjectId,
      reviewRunId: string,
      taskIds: readonly TaskId[],
    ): Promise<Set<string>> {
      const found = await tasks
        .find({
          _id: { $in: taskIds.map((taskId) => keyOf(projectId, taskId)) },
          'ai_review.status': { $in: [...UNDER_WAY] },
          'ai_review.review_run_id': reviewRunId,
        })
        .project<{ task_id: TaskId }>({ _id: 0, task_id: 1 })
        .toArray();
      return new Set(found.map(({ task_id }) => task_id));
    },

    /**
     * The newest completed or failed result of a task for each target of a chip, within a time window or for some targets
     * if given.
     */
    async newestEnded(
      projectId: ProjectId,
      of: { chip_id: string; name: string; qid?: string },
      among: { started?: { from: Date; before: Date }; task_ids?: readonly TaskId[] } = {},
    ): Promise<TaskResultDocument[]> {
      const { started, task_ids } = among;
      const newest = await tasks
        .aggregate<{ id: string }>([
          {
            $match: {
              project_id: projectId,
              ...of,
              status: { $in: ['completed', 'failed'] },
              ...(started && { start_at: { $gte: started.from, $lt: started.before } }),
              ...(task_ids && { task_id: { $in: [...task_ids] } }),
            },
          },
          { $sort: { qid: 1, start_at: -1, task_id: -1 } },
          { $group: { _id: '$qid', id: { $first: '$_id' } } },
        ])
        .toArray();
      return tasks.find({ _id: { $in: newest.map(({ id }) => id) } }).toArray();
    },

    /** The completed and failed results of a task in an execution. */
    endedOf(projectId: ProjectId, executionId: ExecutionId, name: string): Promise<TaskResultDocument[]> {
      return tasks
        .find({
          project_id: projectId,
          execution_id: executionId,
          status: { $in: ['completed', 'failed'] },
          name,
        })
        .toArray();
    },
  };
}
