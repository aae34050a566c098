import { elapsedText, isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import {
  type ExecutionTask,
  type ExecutionTaskField,
  executionTaskFields,
  type TaskResultDocument,
} from '../results/model.ts';
import { executionTaskOf } from '../results/wire.ts';
import type { FlowEntryDocument } from './flow-entry-store.ts';
import type {
  ExecutionDetail,
  ExecutionDocument,
  ExecutionLogEntry,
  ExecutionStage,
  ExecutionStageDetail,
  ExecutionSummary,
  FlowCommandDocument,
} from './model.ts';
import { flowRunState, waitingReason } from './status-rules.ts';

/** An entry of the execution list; its name contains the id. */
export function executionSummaryOf(execution: ExecutionDocument): ExecutionSummary {
  return {
    name: `${execution.name}-${execution.execution_id}`,
    execution_id: execution.execution_id,
    status: execution.status,
    message: execution.message,
    user_id: execution.user_id,
    username: execution.username,
    start_at: isoTimeOrNull(execution.start_at),
    end_at: isoTimeOrNull(execution.end_at),
    elapsed_time: elapsedText(execution.elapsed_time),
    tags: execution.tags,
    note: execution.note,
    flow_run_state: flowRunState(execution),
  };
}

/** Converts a log or record entry to the API's format. */
export function executionLogEntryOf(entry: FlowEntryDocument): ExecutionLogEntry {
  const { index, kind, text, value } = entry;
  const content = kind === 'log' ? { message: text, name: null } : { message: null, name: text };
  return { index, kind, ...content, value: kind === 'log' ? null : value, at: isoTime(entry.created_at) };
}

/** What the detail of an execution shows beside its tasks and its log. */
export function executionHeadOf(
  execution: ExecutionDocument,
): Omit<ExecutionDetail, 'task' | 'log' | 'flow_run_url'> {
  return {
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
    waiting: waitingReason(execution),
    preempts: execution.preempts ?? null,
    preempted_by: execution.preempted?.by ?? null,
  };
}

/**
 * The answer of GET /executions/{execution_id} as JSON text, one chunk for each page of its tasks: a run may have 200,000
 * tasks, and all of them are included.
 * @param fields the fields that each task shows
 */
export async function* executionDetailText(
  root: string,
  execution: ExecutionDocument,
  {
    log,
    pages,
    flowRunUrl,
    fields = executionTaskFields,
  }: {
    log: readonly FlowEntryDocument[];
    pages: AsyncIterable<TaskResultDocument[]>;
    flowRunUrl: string | null;
    fields?: readonly ExecutionTaskField[] | undefined;
  },
): AsyncGenerator<string> {
  const shown: Omit<ExecutionDetail, 'task'> = {
    ...executionHeadOf(execution),
    flow_run_url: flowRunUrl,
    log: log.map(executionLogEntryOf),
  };
  yield `${JSON.stringify(shown).slice(0, -1)},"task":[`;
  const shownOf =
    fields.length === executionTaskFields.length
      ? (task: ExecutionTask) => task
      : (task: ExecutionTask) => Object.fromEntries(fields.map((name) => [name, task[name]]));
  let separator = '';
  for await (const page of pages) {
    yield separator + page.map((task) => JSON.stringify(shownOf(executionTaskOf(root, task)))).join(',');
    separator = ',';
  }
  yield ']}';
}

/** Converts a stage to the format of lists. */
export function executionStageOf(stage: FlowCommandDocument): ExecutionStage {
  const { summary, targets } = stage;
  return {
    index: stage.index,
    name: stage.name,
    status: stage.status === 'planned' ? 'running' : stage.status,
    tasks: stage.tasks.map(({ name }) => name),
    targets: targets.length,
    counts: summary?.counts ?? null,
    passed: summary?.passed ?? [],
    failed: summary?.failed ?? [],
    yields: summary?.yields ?? [],
    target_yield: summary && targets.length > 0 ? summary.passed.length / targets.length : null,
    start_at: isoTime(stage.created_at),
    end_at: isoTimeOrNull(stage.answered_at),
  };
}

/** Converts a stage, with its metrics, to the API's format. */
export function executionStageDetailOf(stage: FlowCommandDocument): ExecutionStageDetail {
  return {
    ...executionStageOf(stage),
    metrics: stage.summary?.metrics ?? {},
    metrics_truncated: stage.summary?.metrics_truncated ?? false,
  };
}
