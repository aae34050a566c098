import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { revised } from './changes.ts';
import type { ResultFiles, TaskResultDocument } from './model.ts';

/** The files of task results, for the rule that deletes them. */
export function createResultFiles(tasks: Collection<TaskResultDocument>) {
  return {
    /** The files of an execution's results, and the users' comments on them. */
    async filesOfExecution(projectId: ProjectId, executionId: ExecutionId): Promise<ResultFiles[]> {
      return tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<ResultFiles>({
          _id: 1,
          task_id: 1,
          figure_path: 1,
          json_figure_path: 1,
          raw_data_path: 1,
          'passes.raw_data_path': 1,
          user_note: 1,
          excluded: 1,
          excluded_at: 1,
        })
        .toArray();
    },

    /** Notes that the files of results are deleted. Done before the files are, so that no result names a missing one. */
    async forgetFiles(results: readonly Pick<ResultFiles, '_id' | 'passes'>[]): Promise<void> {
      if (results.length === 0) return;
      const none = { figure_path: [], json_figure_path: [], raw_data_path: [], files_deleted_at: new Date() };
      await tasks.bulkWrite(
        results.map(({ _id, passes = [] }) => ({
          updateOne: {
            filter: { _id },
            update: revised({
              $set: {
                ...none,
                ...Object.fromEntries(passes.map((_, index) => [`passes.${index}.raw_data_path`, []])),
              },
            }),
          },
        })),
        { ordered: false },
      );
    },
  };
}
