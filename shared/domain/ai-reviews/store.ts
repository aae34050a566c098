import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { insertMissing, insertNew } from '../../kernel/insert-new.ts';
import type { AiReviewDocument, ReviewRunDocument } from './model.ts';
import { createReviewLists, newestFirst } from './review-lists.ts';

const RUNS = 'ai_review_runs';
const REVIEWS = 'ai_reviews';

export const aiReviewIndexes: readonly CollectionIndexes[] = [
  {
    collection: RUNS,
    indexes: [
      { name: 'by_request', key: { project_id: 1, requested_at: -1, review_run_id: 1 } },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, requested_at: -1, review_run_id: 1 } },
      { name: 'by_task', key: { project_id: 1, task_name: 1, requested_at: -1, review_run_id: 1 } },
      // Partial: few runs are open, and the others take no space in the index.
      { name: 'open', key: { open: 1 }, partialFilterExpression: { open: { $exists: true } } },
    ],
  },
  {
    collection: REVIEWS,
    indexes: [
      { name: 'by_run', key: { project_id: 1, review_run_id: 1, status: 1, task_id: 1 } },
      { name: 'by_result', key: { project_id: 1, task_id: 1, requested_at: -1 } },
      { name: 'by_start', key: { project_id: 1, start_at: -1, task_id: 1, review_run_id: 1 } },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, start_at: -1, task_id: 1, review_run_id: 1 } },
      { name: 'by_task', key: { project_id: 1, task_name: 1, start_at: -1, task_id: 1, review_run_id: 1 } },
      { name: 'by_status', key: { project_id: 1, status: 1, start_at: -1, task_id: 1, review_run_id: 1 } },
      {
        name: 'by_decision',
        key: { project_id: 1, decision: 1, start_at: -1, task_id: 1, review_run_id: 1 },
      },
      { name: 'newest', key: { project_id: 1, ...newestFirst } },
      { name: 'newest_of_chip', key: { project_id: 1, chip_id: 1, ...newestFirst } },
      { name: 'newest_of_task', key: { project_id: 1, task_name: 1, ...newestFirst } },
    ],
  },
];

/** A run of reviews whose end was not recorded. */
export type OpenReviewRun = Pick<ReviewRunDocument, 'project_id' | 'review_run_id' | 'requested_at'>;
/** Result of a review. */
export type Ended = Pick<
  AiReviewDocument,
  | 'status'
  | 'decision'
  | 'verdict'
  | 'markdown'
  | 'prompt_hash'
  | 'knowledge_version'
  | 'usage'
  | 'held_back'
  | 'error'
>;

export type AiReviewStore = ReturnType<typeof createAiReviewStore>;

/** Runs of reviews, and one review for each result and run. */
export function createAiReviewStore(db: Db) {
  const runs = db.collection<ReviewRunDocument>(RUNS);
  const reviews = db.collection<AiReviewDocument>(REVIEWS);

  return {
    /**
     * Adds a run and its reviews, unless another attempt has added them.
     * @returns the stored run; null when it has ended
     */
    async add(run: ReviewRunDocument, rows: readonly AiReviewDocument[]): Promise<ReviewRunDocument | null> {
      await insertNew(runs, run).catch(exceptDuplicates);
      const stored = await runs.findOne({ _id: run._id, open: true });
      if (stored) await insertMissing(reviews, rows);
      return stored;
    },

    /** Removes reviews that were never started from a run. */
    async drop(projectId: ProjectId, reviewRunId: string, taskIds: readonly TaskId[]): Promise<void> {
      await reviews.deleteMany({
        _id: { $in: taskIds.map((taskId) => keyOf(projectId, reviewRunId, taskId)) },
        status: 'requested',
      });
    },

    ...createReviewLists({ runs, reviews }),

    run: (projectId: ProjectId, reviewRunId: string) => runs.findOne({ _id: keyOf(projectId, reviewRunId) }),

    get: (projectId: ProjectId, reviewRunId: string, taskId: TaskId) =>
      reviews.findOne({ _id: keyOf(projectId, reviewRunId, taskId) }),

    /** Every review of a run. */
    ofRun: (projectId: ProjectId, reviewRunId: string): Promise<AiReviewDocument[]> =>
      reviews.find({ project_id: projectId, review_run_id: reviewRunId }).toArray(),

    /** Some reviews of a run that have not ended. */
    async open(projectId: ProjectId, reviewRunId: string, limit: number): Promise<TaskId[]> {
      const found = await reviews
        .find({
          project_id: projectId,
          review_run_id: reviewRunId,
          status: { $in: ['requested', 'running'] },
        })
        .limit(limit)
        .project<{ task_id: TaskId }>({ _id: 0, task_id: 1 })
        .toArray();
      return found.map(({ task_id }) => task_id);
    },

    async begin(projectId: ProjectId, reviewRunId: string, taskId: TaskId): Promise<void> {
      await reviews.updateOne(
        { _id: keyOf(projectId, reviewRunId, taskId), status: 'requested' },
        { $set: { status: 'running' } },
      );
    },

    /** Records what an open review waits for. */
    async noteWaiting(review: Pick<AiReviewDocument, '_id'>, error: string): Promise<void> {
      await reviews.updateOne(
        { _id: review._id, status: { $in: ['requested', 'running'] } },
        { $set: { error } },
      );
    },

    /** Ends a review; the first end stays. */
    async end(review: Pick<AiReviewDocument, '_id'>, ended: Ended, at: Date): Promise<boolean> {
      const { modifiedCount } = await reviews.updateOne(
        { _id: review._id, status: { $in: ['requested', 'running'] } },
        { $set: { ...ended, completed_at: at } },
      );
      return modifiedCount === 1;
    },

    /** Ends a run, or deletes it if it has no reviews. */
    async endRun(projectId: ProjectId, reviewRunId: string, at: Date): Promise<void> {
      const ofRun = { project_id: projectId, review_run_id: reviewRunId };
      if ((await reviews.countDocuments(ofRun, { limit: 1 })) === 0) {
        await runs.deleteOne({ _id: keyOf(projectId, reviewRunId), open: true });
        return;
      }
      await runs.updateOne(
        { _id: keyOf(projectId, reviewRunId), open: true },
        { $set: { completed_at: at }, $unset: { open: 1 } },
      );
    },

    /** Runs of all projects that have been open since before a given time. */
    openRuns: (before: Date): Promise<OpenReviewRun[]> =>
      runs
        .find({ open: true, requested_at: { $lt: before } })
        .project<OpenReviewRun>({
          _id: 0,
          project_id: 1,
          review_run_id: 1,
          requested_at: 1,
        })
        .toArray(),

    countRuns: (projectId: ProjectId): Promise<number> => runs.countDocuments({ project_id: projectId }),
  };
}

function exceptDuplicates(thrown: unknown): void {
  if (!isDuplicateKey(thrown)) throw thrown;
}
