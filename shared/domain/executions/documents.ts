import { join } from 'node:path';
import { keyOf } from '../../kernel/ids.ts';
import { elapsedText, isoTimeOrNull } from '../../kernel/time.ts';
import type { RunIdentity } from '../runs/run.ts';
import type { ExecutionDocument, ExecutionSummary } from './model.ts';
import { parseExecutionId } from './rules.ts';

/** `<root>/<project_id>/<chip_id>/<YYYYMMDD>/<NNN>`: directory of an execution's files. */
export function executionDirectory(
  root: string,
  run: Pick<RunIdentity, 'project_id' | 'chip_id' | 'execution_id'>,
): string {
  const id = parseExecutionId(run.execution_id);
  return id
    ? join(root, run.project_id, run.chip_id, id.day, id.index)
    : join(root, run.project_id, run.chip_id, run.execution_id);
}

/** An execution before its workflow adopts it. `origin` says in its note where it comes from. */
export function newExecution(
  run: RunIdentity,
  flowRunId: string,
  root: string,
  at: Date,
  origin: Record<string, string> = {},
): ExecutionDocument {
  return {
    _id: keyOf(run.project_id, run.execution_id),
    project_id: run.project_id,
    execution_id: run.execution_id,
    chip_id: run.chip_id,
    user_id: run.user_id,
    username: run.username,
    name: run.name,
    backend: run.backend,
    trigger: run.trigger,
    calib_data_path: executionDirectory(root, run),
    status: 'scheduled',
    message: null,
    tags: run.tags,
    note: { ...origin, flow_run_id: flowRunId },
    start_at: at,
    end_at: null,
    elapsed_time: null,
    cancel_requested_at: null,
    created_at: at,
  };
}

/** Line of the execution list: its name carries the id. */
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
  };
}
