import type { Collection } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import type { largeFields, TaskResultDocument } from './model.ts';

/** Number of tasks read at a time, because an execution may have thousands. */
const PAGE = 100;

type StartOrder = Pick<TaskResultDocument, 'start_at' | 'end_at' | 'created_at' | 'index' | 'task_id'>;

/** The fields of an execution's task by which lists are sorted. */
export type PlacedTask = StartOrder & Pick<TaskResultDocument, 'qid' | 'task_type'>;

function inOrderOfStart(a: StartOrder, b: StartOrder): number {
  const moment = (task: StartOrder) => (task.start_at ?? task.end_at ?? task.created_at).getTime();
  return moment(a) - moment(b) || a.index - b.index || a.task_id.localeCompare(b.task_id);
}

/** Queries for all tasks of an execution, in order. */
export function createTaskPages(tasks: Collection<TaskResultDocument>) {
  return {
    /** All tasks of an execution in order of start; a skipped task is listed at the position where it was skipped. */
    async ofExecution(projectId: ProjectId, executionId: ExecutionId): Promise<TaskResultDocument[]> {
      const found = await tasks.find({ project_id: projectId, execution_id: executionId }).toArray();
      return found.sort(inOrderOfStart);
    },

    /**
     * As {@link ofExecution}, a page at a time: only the fields for sorting are in memory for all tasks.
     * @param arranged sorts the tasks, which arrive in order of start, into another order
     * @param skip, limit select a part of the sorted tasks
     * @param without fields that are not read and come as empty objects
     */
    async *pagesOfExecution(
      projectId: ProjectId,
      executionId: ExecutionId,
      {
        arranged = (places) => places,
        skip = 0,
        limit,
        without = [],
      }: {
        arranged?: (<Place extends PlacedTask>(places: Place[]) => Place[]) | undefined;
        skip?: number | undefined;
        limit?: number | undefined;
        without?: readonly (typeof largeFields)[number][] | undefined;
      } = {},
    ): AsyncGenerator<TaskResultDocument[]> {
      const places = await tasks
        .find({ project_id: projectId, execution_id: executionId })
        .project<PlacedTask & { _id: string }>({
          start_at: 1,
          end_at: 1,
          created_at: 1,
          index: 1,
          task_id: 1,
          qid: 1,
          task_type: 1,
        })
        .toArray();
      const keys = arranged(places.sort(inOrderOfStart))
        .slice(skip, limit === undefined ? undefined : skip + limit)
        .map(({ _id }) => _id);
      const projection = Object.fromEntries(without.map((name) => [name, 0 as const]));
      const unread = Object.fromEntries(without.map((name) => [name, {}]));
      for (let start = 0; start < keys.length; start += PAGE) {
        const wanted = keys.slice(start, start + PAGE);
        const page = await tasks.find({ _id: { $in: wanted } }, { projection }).toArray();
        const byKey = new Map(page.map((task) => [task._id, { ...unread, ...task }]));
        yield wanted.flatMap((key) => byKey.get(key) ?? []);
      }
    },
  };
}
