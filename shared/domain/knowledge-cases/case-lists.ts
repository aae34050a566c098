import type { Collection } from 'mongodb';
import type { ProjectId, TaskId } from '../../kernel/ids.ts';
import type { CaseQuery, KnowledgeCaseDocument, KnowledgeCaseList } from './model.ts';
import { shownCaseOf } from './wire.ts';

/** Maximum number of approved cases shown with a task's knowledge: the newest ones. */
export const CASES_OF_TASK = 200;

/** Queries for knowledge cases. `root`: of the calibration data. */
export function createCaseLists(cases: Collection<KnowledgeCaseDocument>, root: string) {
  const newestFirst = { created_at: -1, case_id: 1 } as const;

  return {
    /** Ids of the task results that cases of a project are about. */
    taskIds: (projectId: ProjectId): Promise<string[]> =>
      cases.distinct('task_id', { project_id: projectId }),

    /** Cases of a project, newest first. */
    async list(
      projectId: ProjectId,
      { skip, limit, status, task_name }: CaseQuery,
    ): Promise<KnowledgeCaseList> {
      const filter = {
        project_id: projectId,
        ...(status !== undefined && { status }),
        ...(task_name !== undefined && { task_name }),
      };
      const [found, total] = await Promise.all([
        cases.find(filter).sort(newestFirst).skip(skip).limit(limit).toArray(),
        cases.countDocuments(filter),
      ]);
      return { items: found.map((each) => shownCaseOf(root, each)), total, skip, limit };
    },

    /** Users' labels of results in approved cases, newest cases first. */
    async approvedLabels(
      projectId: ProjectId,
      limit: number,
    ): Promise<{ task_id: TaskId; human_label: string; at: Date }[]> {
      const found = await cases
        .find({ project_id: projectId, status: 'approved', human_label: { $ne: '' } })
        .sort(newestFirst)
        .limit(limit)
        .project<Pick<KnowledgeCaseDocument, 'task_id' | 'human_label' | 'reviewed_at' | 'updated_at'>>({
          _id: 0,
          task_id: 1,
          human_label: 1,
          reviewed_at: 1,
          updated_at: 1,
        })
        .toArray();
      return found.map(({ task_id, human_label, reviewed_at, updated_at }) => ({
        task_id,
        human_label,
        at: reviewed_at ?? updated_at,
      }));
    },

    count: (projectId: ProjectId) => cases.countDocuments({ project_id: projectId }),

    /** Whether an issue has a draft, which a new draft would replace. */
    async hasDraft(projectId: ProjectId, issueId: string): Promise<boolean> {
      const found = await cases.findOne(
        { project_id: projectId, issue_id: issueId, status: 'draft' },
        { projection: { _id: 1 } },
      );
      return found !== null;
    },

    /** The newest approved cases of a task, except the given ones. */
    approvedOf: (projectId: ProjectId, taskName: string, but: readonly string[]) =>
      cases
        .find({
          project_id: projectId,
          status: 'approved',
          task_name: taskName,
          ...(but.length > 0 && { case_id: { $nin: [...but] } }),
        })
        .sort(newestFirst)
        .limit(CASES_OF_TASK)
        .toArray(),

    /** Ids of the approved cases of a project by task. */
    async approvedIds(projectId: ProjectId): Promise<ReadonlyMap<string, readonly string[]>> {
      const found = await cases
        .find({ project_id: projectId, status: 'approved' })
        .project<{ task_name: string; case_id: string }>({ _id: 0, task_name: 1, case_id: 1 })
        .toArray();
      const byTask = new Map<string, string[]>();
      for (const { task_name, case_id } of found) {
        byTask.set(task_name, [...(byTask.get(task_name) ?? []), case_id]);
      }
      return byTask;
    },
  };
}
