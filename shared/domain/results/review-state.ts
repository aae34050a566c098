import type { Collection } from 'mongodb';
import { keyOf } from '../../kernel/ids.ts';
import type { AiReviewState, TaskResultDocument } from './model.ts';

type Note = NonNullable<TaskResultDocument['ai_review_note']>;

/** How the newest review of each result stands; reviews themselves are kept elsewhere. */
export function createReviewState(tasks: Collection<TaskResultDocument>) {
  return {
    /**
     * Claims a result for a review. What an earlier review holds back stays so until this one has decided.
     * @returns false when one is under way
     */
    async claimReview(projectId: string, taskId: string, state: AiReviewState): Promise<boolean> {
      const free = {
        _id: keyOf(projectId, taskId),
        'ai_review.status': { $nin: ['requested', 'running'] },
      } as const;
      for (const held_back of [true, false]) {
        const { matchedCount } = await tasks.updateOne(
          { ...free, 'ai_review.held_back': held_back ? true : { $ne: true } },
          { $set: { ai_review: { ...state, held_back } } },
        );
        if (matchedCount === 1) return true;
      }
      return false;
    },

    /** Notes how the review of a run goes on; nothing once another run has claimed the result. */
    async noteReview(
      { project_id, task_id, review_run_id }: { project_id: string; task_id: string; review_run_id: string },
      change: Partial<Pick<AiReviewState, 'status' | 'completed_at' | 'error' | 'decision' | 'held_back'>>,
      note?: Note,
    ): Promise<void> {
      const fields = Object.entries(change).map(([name, value]) => [`ai_review.${name}`, value] as const);
      await tasks.updateOne(
        { _id: keyOf(project_id, task_id), 'ai_review.review_run_id': review_run_id },
        { $set: { ...Object.fromEntries(fields), ...(note && { ai_review_note: note }) } },
      );
    },

    /** The newest completed or failed result of a task for each target of a chip, of a window or among some where given. */
    async newestEnded(
      projectId: string,
      of: { chip_id: string; name: string; qid?: string },
      among: { started?: { from: Date; before: Date }; task_ids?: readonly string[] } = {},
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
    endedOf(projectId: string, executionId: string, name: string): Promise<TaskResultDocument[]> {
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
