import type { Collection, Filter } from 'mongodb';
import type { ExecutionId, ProjectId, TaskId } from '../../kernel/ids.ts';
import type { AiReviewDocument, ReviewRunDocument } from './model.ts';
import type { RunCounts } from './wire.ts';

/** The newest result first; for each result, the newest review first. */
export const newestFirst = { start_at: -1, requested_at: -1, review_run_id: 1, task_id: 1 } as const;

export interface ReviewFilter {
  chip_id?: string | undefined;
  task_name?: string | undefined;
  status?: string | undefined;
  decision?: string | undefined;
}

type Page = { skip: number; limit: number };

function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Queries for lists of review runs and of reviews. */
export function createReviewLists({
  runs,
  reviews,
}: {
  runs: Collection<ReviewRunDocument>;
  reviews: Collection<AiReviewDocument>;
}) {
  /** Numbers of reviews by status and by decision. */
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

  return {
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
}
