import { keyOf } from '../../kernel/ids.ts';
import { executionFolder } from './directory-rules.ts';
import type { ExecutionDocument } from './model.ts';

/** Fields of an execution that are known before it starts. */
type PlannedExecution = Pick<
  ExecutionDocument,
  | 'project_id'
  | 'execution_id'
  | 'chip_id'
  | 'user_id'
  | 'username'
  | 'name'
  | 'backend'
  | 'trigger'
  | 'tags'
  | 'preempts'
>;

/** An execution before its workflow adopts it. */
export function newExecution(
  planned: PlannedExecution,
  start: {
    flow_run_id: string;
    at: Date;
    /** Where the run comes from; stored in its note. */
    origin?: Record<string, string> | undefined;
  },
): ExecutionDocument {
  const { flow_run_id, at, origin = {} } = start;
  return {
    _id: keyOf(planned.project_id, planned.execution_id),
    project_id: planned.project_id,
    execution_id: planned.execution_id,
    chip_id: planned.chip_id,
    user_id: planned.user_id,
    username: planned.username,
    name: planned.name,
    backend: planned.backend,
    trigger: planned.trigger,
    calib_data_path: executionFolder(planned),
    status: 'scheduled',
    message: null,
    tags: planned.tags,
    note: { ...origin, flow_run_id },
    start_at: at,
    end_at: null,
    elapsed_time: null,
    cancel_requested_at: null,
    created_at: at,
    ...(planned.preempts !== undefined && { preempts: planned.preempts }),
  };
}
