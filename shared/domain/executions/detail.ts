import { elapsedText, isoTimeOrNull } from '../../kernel/time.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { executionTaskOf } from '../results/wire.ts';
import type { ExecutionDetail, ExecutionDocument } from './model.ts';
import { flowRunState, waitingSentence } from './rules.ts';

/**
 * The answer of GET /executions/{execution_id} as JSON text, one piece for each page of its tasks: a run may hold
 * 20,000 tasks, and all of them are shown.
 */
export async function* executionDetailText(
  execution: ExecutionDocument,
  pages: AsyncIterable<TaskResultDocument[]>,
): AsyncGenerator<string> {
  const shown: Omit<ExecutionDetail, 'task'> = {
    name: execution.name,
    execution_id: execution.execution_id,
    status: execution.status,
    message: execution.message,
    flow_name: execution.name,
    user_id: execution.user_id,
    username: execution.username,
    start_at: isoTimeOrNull(execution.start_at),
    end_at: isoTimeOrNull(execution.end_at),
    elapsed_time: elapsedText(execution.elapsed_time),
    note: execution.note,
    tags: execution.tags,
    chip_id: execution.chip_id,
    flow_run_state: flowRunState(execution),
    waiting: waitingSentence(execution),
  };
  yield `${JSON.stringify(shown).slice(0, -1)},"task":[`;
  let separator = '';
  for await (const page of pages) {
    yield separator + page.map((task) => JSON.stringify(executionTaskOf(task))).join(',');
    separator = ',';
  }
  yield ']}';
}
