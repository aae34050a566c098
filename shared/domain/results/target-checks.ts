import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { TaskCheck, TaskResultDocument } from './model.ts';

/** Maximum number of checks that one question reads. */
const MAX_CHECKS = 5000;

/** A check that has ended. */
export type CheckRow = Pick<TaskResultDocument, 'qid' | 'name' | 'start_at' | 'end_at'> & {
  check: TaskCheck;
};

/** Failures and checks of targets, from which maintenance decides what still holds. */
export function createTargetChecks(tasks: Collection<TaskResultDocument>) {
  return {
    /** What failed on some targets of a chip since a time, in any order. Checks do not count: they find no values. */
    async failuresSince(
      projectId: ProjectId,
      chipId: string,
      qids: readonly string[],
      since: Date,
    ): Promise<Pick<TaskResultDocument, 'qid' | 'name' | 'message' | 'start_at' | 'end_at'>[]> {
      const ofTargets = { project_id: projectId, chip_id: chipId, qid: { $in: [...qids] } };
      return tasks
        .find({ ...ofTargets, start_at: { $gte: since }, status: 'failed', check: { $exists: false } })
        .project<Pick<TaskResultDocument, 'qid' | 'name' | 'message' | 'start_at' | 'end_at'>>({
          _id: 0,
          qid: 1,
          name: 1,
          message: 1,
          start_at: 1,
          end_at: 1,
        })
        .toArray();
    },

    /**
     * Checks that ended on some targets of a chip since a time, newest first; perhaps those of a task in some executions. Of very
     * many the oldest are left out.
     */
    async checksSince(
      projectId: ProjectId,
      chipId: string,
      {
        qids,
        since,
        of,
      }: {
        qids: readonly string[];
        since: Date;
        of?: { task: string; executions: readonly ExecutionId[] };
      },
    ): Promise<CheckRow[]> {
      const found = await tasks
        .find({
          project_id: projectId,
          chip_id: chipId,
          qid: { $in: [...qids] },
          ...(of && { name: of.task, execution_id: { $in: [...of.executions] } }),
          start_at: { $gte: since },
          status: 'completed',
          check: { $exists: true },
        })
        .project<Omit<CheckRow, 'check'> & { check?: TaskCheck }>({
          _id: 0,
          qid: 1,
          name: 1,
          check: 1,
          start_at: 1,
          end_at: 1,
        })
        .sort({ start_at: -1, task_id: 1 })
        .limit(MAX_CHECKS)
        .toArray();
      return found.flatMap(({ check, ...row }) => (check ? [{ ...row, check }] : []));
    },
  };
}
