import { z } from 'zod';
import { type ExecutionDocument, executionNote } from '../../shared/domain/executions/model.ts';
import { executionStatuses } from '../../shared/domain/executions/status-rules.ts';
import { executionSummaryOf } from '../../shared/domain/executions/wire.ts';
import type { PlacedTask } from '../../shared/domain/results/index.ts';
import { executionTask, type TaskResultDocument } from '../../shared/domain/results/model.ts';
import { executionTaskOf } from '../../shared/domain/results/wire.ts';
import { executionIdSchema } from '../../shared/kernel/ids.ts';

/** An execution in the earlier interface's list. */
export const earlierSummary = z.object({
  name: z.string(),
  execution_id: executionIdSchema,
  status: z.enum(executionStatuses),
  start_at: z.string().nullable(),
  end_at: z.string().nullable(),
  elapsed_time: z.string().nullable(),
  tags: z.array(z.string()),
  note: executionNote,
});
type EarlierSummary = z.infer<typeof earlierSummary>;

/** An execution with its tasks, as the earlier interface shows it. */
export const earlierDetail = earlierSummary.omit({ execution_id: true, tags: true }).extend({
  task: z.array(
    executionTask.extend({
      name: z.string().describe('`<qid>-<task>` for a task on a qubit or coupling.'),
      over_threshold: z.boolean().describe('Always false: only the lists of a task judge values.'),
    }),
  ),
});

/** List entry of an execution. A run of a menu has the menu's name. */
export function earlierSummaryOf(execution: ExecutionDocument): EarlierSummary {
  const { name, execution_id, status, start_at, end_at, elapsed_time, tags, note } = executionSummaryOf({
    ...execution,
    name: execution.note['menu_name'] ?? execution.name,
  });
  return { name, execution_id, status, start_at, end_at, elapsed_time, tags, note };
}

/** An execution with its tasks as JSON text, streamed page by page, because a run may have 200,000 tasks. */
export async function* earlierDetailText(
  root: string,
  execution: ExecutionDocument,
  pages: AsyncIterable<TaskResultDocument[]>,
): AsyncGenerator<string> {
  const { execution_id: _id, tags: _tags, ...shown } = earlierSummaryOf(execution);
  yield `${JSON.stringify(shown).slice(0, -1)},"task":[`;
  let separator = '';
  for await (const page of pages) {
    yield separator + page.map((task) => JSON.stringify(taskOf(root, task))).join(',');
    separator = ',';
  }
  yield ']}';
}

function taskOf(root: string, task: TaskResultDocument): z.infer<typeof earlierDetail>['task'][number] {
  const name = isOfChip(task) ? task.name : `${task.qid}-${task.name}`;
  return { ...executionTaskOf(root, task), name, over_threshold: false };
}

/**
 * Sorts an execution's tasks in groups: the tasks of the whole chip, and those of each qubit or coupling. Tasks of a
 * group are sorted by start, with tasks that never started last. Groups are sorted by the start of their last task.
 */
export function inGroups<Place extends PlacedTask>(places: Place[]): Place[] {
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const key = isOfChip(place) ? place.task_type : `of ${place.qid}`;
    const group = groups.get(key);
    if (group) group.push(place);
    else groups.set(key, [place]);
  }
  const latest = (group: Place[]) => Math.max(...group.map(({ start_at }) => start_at?.getTime() ?? 0));
  return [...groups.values()]
    .map((group) => ({ group: group.toSorted((a, b) => startOf(a) - startOf(b)), at: latest(group) }))
    .sort((a, b) => a.at - b.at)
    .flatMap(({ group }) => group);
}

const isOfChip = ({ task_type }: Pick<PlacedTask, 'task_type'>) =>
  task_type === 'global' || task_type === 'system';

/** Start in milliseconds; tasks that never started sort last. */
const startOf = ({ start_at }: PlacedTask) => start_at?.getTime() ?? Number.MAX_SAFE_INTEGER;
