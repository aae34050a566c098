import type { Filter } from 'mongodb';
import { type CollectionIndexes, type Db, isDuplicateKey } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { insertMissing, insertNew } from '../../kernel/insert-new.ts';
import type { AiReviewDocument, ReviewRunDocument } from './model.ts';
import type { RunCounts } from './wire.ts';

const RUNS = 'ai_review_runs';
const REVIEWS = 'ai_reviews';

/** The newest result first; for each result, the newest review first. */
const newestFirst = { start_at: -1, requested_at: -1, review_run_id: 1, task_id: 1 } as const;

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

export interface ReviewFilter {
  chip_id?: string | undefined;
  task_name?: string | undefined;
  status?: string | undefined;
  decision?: string | undefined;
}
/** A run of reviews whose end was not recorded. */
export type OpenReviewRun = Pick<ReviewRunDocument, 'project_id' | 'review_run_id' | 'requested_at'>;
type Page = { skip: number; limit: number };
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

  async function grouped(filter: Filter<AiReviewDocument>) {
    const by = async (field: 'status' | 'decision') => {
      const groups = await reviews
        .aggregate<{ _id: string; count: number }>([
          { $match: filter },
          { $group: { _id: `$${field}`, count: { $sum: 1 } } },
        ])
        .toArray();
      return Object.fromEntries(groups.map(({ _id, count }) => [_id, count] as const).sort());
    };
    const [status_counts, decision_counts] = await Promise.all([by('status'), by('decision')]);
    return { status_counts, decision_counts };
  }

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

    /** A page of runs, newest first. */
    async listRuns(projectId: ProjectId, filter: Pick<ReviewFilter, 'chip_id' | 'task_name'>, page: Page) {
      const match = { project_id: projectId, ...given(filter) };
      const [items, total] = await Promise.all([
        runs
          .find(match)
          .sort({ requested_at: -1, review_run_id: 1 })
          .skip(page.skip)
          .limit(page.limit)
          .toArray(),
        runs.countDocuments(match),
      ]);
      return { items, total };
    },

    /** Counts of the reviews of these runs, by run. */
    async countsOf(projectId: ProjectId, reviewRunIds: readonly string[]): Promise<Map<string, RunCounts>> {
      const groups = await reviews
        .aggregate<{
          _id: { run: string; status: string; decision: string; execution: ExecutionId };
          count: number;
        }>([
          { $match: { project_id: projectId, review_run_id: { $in: [...reviewRunIds] } } },
          {
            $group: {
              _id: {
                run: '$review_run_id',
                status: '$status',
                decision: '$decision',
                execution: '$execution_id',
              },
              count: { $sum: 1 },
            },
          },
        ])
        .toArray();
      const counts = new Map<string, RunCounts>();
      for (const { _id, count } of groups) {
        const of = counts.get(_id.run) ?? { statuses: {}, decisions: {}, execution_ids: [] };
        counts.set(_id.run, of);
        of.statuses[_id.status] = (of.statuses[_id.status] ?? 0) + count;
        of.decisions[_id.decision] = (of.decisions[_id.decision] ?? 0) + count;
        of.execution_ids = [...new Set([...of.execution_ids, _id.execution])].sort();
      }
      return counts;
    },

    /**
     * A page of reviews sorted by the start of their results, newest first, with the counts of all. With `latestOnly`, only the
     * newest review of the newest result of each task and target counts; status and decision are filtered after that.
     */
    async list(
      projectId: ProjectId,
      filter: ReviewFilter,
      { latestOnly, skip, limit }: Page & { latestOnly: boolean },
    ) {
      const { chip_id, task_name, status, decision } = filter;
      const about = { project_id: projectId, ...given({ chip_id, task_name }) };
      const judged = given({ status, decision });
      const match = latestOnly ? { _id: { $in: await newest(about) }, ...judged } : { ...about, ...judged };
      const [items, counts] = await Promise.all([
        reviews
          .find(match)
          .sort({ start_at: -1, task_id: 1, review_run_id: 1 })
          .skip(skip)
          .limit(limit)
          .toArray(),
        grouped(match),
      ]);
      const total = Object.values(counts.status_counts).reduce((sum, each) => sum + each, 0);
      return { items, total, ...counts };
    },

    /** The newest completed review of each of these results before the results were judged. */
    async completedOf(projectId: ProjectId, taskIds: readonly TaskId[]): Promise<AiReviewDocument[]> {
      return reviews
        .find({ project_id: projectId, task_id: { $in: [...taskIds] }, status: 'completed' })
        .toArray();
    },
  };

  /** Ids of the newest review of the newest result of each task on each target. */
  async function newest(about: Filter<AiReviewDocument>): Promise<string[]> {
    const groups = await reviews
      .aggregate<{ id: string }>([
        { $match: about },
        { $sort: newestFirst },
        {
          $group: { _id: { chip: '$chip_id', task: '$task_name', qid: '$qid' }, id: { $first: '$_id' } },
        },
      ])
      .toArray();
    return groups.map(({ id }) => id);
  }
}

function exceptDuplicates(thrown: unknown): void {
  if (!isDuplicateKey(thrown)) throw thrown;
}

function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
