import type { TaskResultStore } from '../results/index.ts';
import type { CommandStore } from './command-store.ts';
import type { ExecutionDocument, ExecutionTime } from './model.ts';
import { type ClaimedSpan, partOfWait, partsOfTime, timeParts } from './time-rules.ts';

const MS_PER_SECOND = 1000;

/** What claims the time of an execution, apart from its tasks. */
function* spansOf(
  execution: ExecutionDocument,
  commands: Awaited<ReturnType<CommandStore['times']>>,
): Generator<ClaimedSpan> {
  const { created_at, start_at, waiting, paused, waits = [] } = execution;
  yield { part: 'lock', from: created_at, to: start_at };
  for (const { kind, created_at: from, answered_at: to } of commands) {
    if (kind === 'stage') yield { part: 'engine', from, to };
    if (kind === 'approval') yield { part: 'people', from, to };
  }
  for (const { kind, from, to } of waits) {
    const part = kind === 'resume' ? 'people' : partOfWait(kind);
    if (part) yield { part, from, to };
  }
  const waited = waiting && partOfWait(waiting.kind);
  if (waited) yield { part: waited, from: new Date(waiting.since), to: null };
  if (paused) yield { part: 'people', from: new Date(paused.at), to: null };
}

/** Accounts for the time of executions, from what is stored of them. */
export function createTimeAccount({
  commands,
  results,
}: {
  commands: CommandStore;
  results: TaskResultStore;
}) {
  return async (execution: ExecutionDocument, now: Date): Promise<ExecutionTime> => {
    const { project_id, execution_id, created_at, end_at } = execution;
    const spans = [...spansOf(execution, await commands.times(project_id, execution_id))];
    for await (const task of results.timesOfExecution(project_id, execution_id)) {
      if (task.start_at) spans.push({ part: 'instrument', from: task.start_at, to: task.end_at });
      if (task.end_at) spans.push({ part: 'analysis', from: task.end_at, to: task.closed_at ?? task.end_at });
    }
    const whole = { from: created_at, to: end_at ?? now };
    const spent = partsOfTime(whole, spans);
    const total = Math.max(0, whole.to.getTime() - whole.from.getTime());
    return {
      execution_id,
      from: whole.from.toISOString(),
      to: whole.to.toISOString(),
      is_open: end_at === null,
      seconds: total / MS_PER_SECOND,
      parts: timeParts.map((part) => ({
        part,
        seconds: spent[part] / MS_PER_SECOND,
        share: total === 0 ? 0 : spent[part] / total,
      })),
    };
  };
}
