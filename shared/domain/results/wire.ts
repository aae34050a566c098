import { NO_USER } from '../../kernel/ids.ts';
import { elapsedText, isoTimeOrNull } from '../../kernel/time.ts';
import { shownFilePaths } from '../artifacts/path-rules.ts';
import type { Exclusion } from './exclusion-model.ts';
import type {
  ExecutionTask,
  LatestEntry,
  StoredParameter,
  StoredParameters,
  TaskResult,
  TaskResultDocument,
  TaskResultItem,
} from './model.ts';

/** A parameter as all responses show it: missing details are null, not absent. */
export function parameterOf(parameter: StoredParameter): StoredParameter {
  const { source = null, error = null, calibrated_at = null } = parameter;
  return { ...parameter, source, error, calibrated_at };
}

/** Parameters as all responses show them. */
export function parametersOf(parameters: StoredParameters): StoredParameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, parameterOf(parameter)] as const),
  );
}

/** A stored task as an execution's detail shows it. `root`: the calibration data root, for the paths of its files. */
export function executionTaskOf(root: string, task: TaskResultDocument): ExecutionTask {
  return {
    user_id: task.user_id,
    username: task.username,
    task_id: task.task_id,
    qid: task.qid,
    name: task.name,
    upstream_id: task.upstream_id,
    status: task.status,
    message: task.message,
    input_parameters: parametersOf(task.input_parameters),
    output_parameters: parametersOf(task.output_parameters),
    output_parameter_names: task.output_parameter_names,
    run_parameters: task.run_parameters,
    note: task.note,
    figure_path: shownFilePaths(root, task.figure_path, task),
    json_figure_path: shownFilePaths(root, task.json_figure_path, task),
    raw_data_path: shownFilePaths(root, task.raw_data_path, task),
    start_at: isoTimeOrNull(task.start_at),
    end_at: isoTimeOrNull(task.end_at),
    elapsed_time: elapsedText(task.elapsed_time),
    task_type: task.task_type,
    default_view: true,
  };
}

/** The full result of one task. `flowName` is the execution's name, `reExecutions` are the tasks that re-execute it. */
export function taskResultOf(
  root: string,
  task: TaskResultDocument,
  flowName: string,
  reExecutions: readonly TaskResultDocument[],
): TaskResult {
  const {
    default_view: _view,
    task_type: _type,
    upstream_id: _upstream,
    name,
    ...shown
  } = executionTaskOf(root, task);
  return {
    ...shown,
    task_name: name,
    chip_id: task.chip_id,
    execution_id: task.execution_id,
    flow_name: flowName,
    suggested_run_parameters: task.suggested_run_parameters ?? {},
    check: task.check ?? null,
    quality_metrics: task.quality_metrics,
    tags: task.tags,
    stack_trace: task.stack_trace,
    source_task_id: task.source_task_id,
    re_executions: reExecutions.map((each) => ({
      task_id: each.task_id,
      task_name: each.name,
      qid: each.qid,
      status: each.status,
      start_at: isoTimeOrNull(each.start_at),
    })),
    ai_review_note: task.ai_review_note ?? { content: '', updated_by: '', updated_at: null },
  };
}

/** An item in a list of task results. */
export function taskResultItemOf(task: TaskResultDocument): TaskResultItem {
  return {
    task_id: task.task_id,
    task_name: task.name,
    qid: task.qid,
    chip_id: task.chip_id,
    status: task.status,
    execution_id: task.execution_id,
    user_id: task.user_id,
    username: task.username,
    message: task.message,
    has_stack_trace: task.stack_trace !== '',
    source_task_id: task.source_task_id,
    start_at: isoTimeOrNull(task.start_at),
    end_at: isoTimeOrNull(task.end_at),
    elapsed_time: elapsedText(task.elapsed_time),
    ai_review_status: task.ai_review?.status ?? '',
  };
}

const neverReviewed = {
  status: '',
  requested_at: null,
  requested_by: '',
  review_run_id: '',
  trigger_type: '',
  model_provider: '',
  model_name: '',
  completed_at: null,
  error: '',
  decision: '',
  held_back: false,
};

/** An entry of latest and history responses; a target without a result is pending. */
export function latestEntryOf(
  root: string,
  task: TaskResultDocument | undefined,
  shown: { taskName: string; overThreshold: boolean; pendingIsShown: boolean },
): LatestEntry {
  const { taskName, overThreshold, pendingIsShown } = shown;
  if (!task || task.status === 'pending') {
    const entry = { name: taskName, status: 'pending' as const, default_view: pendingIsShown };
    return { ...entry, over_threshold: overThreshold };
  }
  return {
    ...executionTaskOf(root, task),
    status: task.status,
    execution_id: task.execution_id,
    over_threshold: overThreshold,
    ai_review: task.ai_review ?? neverReviewed,
  };
}

/** The stored exclusion of a result; empty if the result was never excluded. */
export function exclusionOf(
  task: Pick<
    TaskResultDocument,
    'task_id' | 'excluded' | 'excluded_reason' | 'excluded_by_user_id' | 'excluded_by' | 'excluded_at'
  >,
): Exclusion {
  return {
    task_id: task.task_id,
    excluded: task.excluded ?? false,
    excluded_reason: task.excluded_reason ?? '',
    excluded_by_user_id: task.excluded_by_user_id ?? NO_USER,
    excluded_by: task.excluded_by ?? '',
    excluded_at: isoTimeOrNull(task.excluded_at),
  };
}
