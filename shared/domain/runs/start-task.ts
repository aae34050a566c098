import { CalibronError } from '../../kernel/errors.ts';
import { NO_TASK, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { type AgentTaskDependencies, createAgentTasks } from './agent-tasks.ts';
import type { StartedRun } from './model.ts';
import type { ExecuteTask, ReExecuteTask } from './request-model.ts';
import type { RunOrder } from './run-order.ts';
import { createTaskRequests, type TaskRequestDependencies } from './task-request.ts';

interface Dependencies extends TaskRequestDependencies, Omit<AgentTaskDependencies, 'requests'> {
  result(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument | null>;
  /** @throws no_worker when no worker serves the backend */
  assertWorker(backend: string): Promise<void>;
}

/** Starts runs of one task on one target. Like every run, they hold the project. */
export function createTaskStarts(dependencies: Dependencies) {
  const { start, defaultBackend } = dependencies;
  const requests = createTaskRequests(dependencies);

  async function result(projectId: ProjectId, taskId: TaskId): Promise<TaskResultDocument> {
    const found = await dependencies.result(projectId, taskId);
    if (!found) throw new CalibronError('not_found', 'There is no such task result in this project.');
    return found;
  }

  return {
    /**
     * Starts a task with the values of the calibration state.
     * @throws bad_request listing every problem, not_found for chip or source task, conflict for an inactive chip, project_busy,
     * update_running, idempotency_conflict
     */
    startTask(order: RunOrder, taskName: string, request: ExecuteTask): Promise<StartedRun> {
      const { priority } = request;
      return start({ ...order, priority }, ['execute', taskName, request], async () => {
        const { source_task_id } = request;
        if (source_task_id !== null) await result(order.projectId, source_task_id);
        const backend = request.backend_name ?? defaultBackend;
        const checked = await requests.check(order.projectId, {
          task_name: taskName,
          chip_id: request.chip_id,
          backend,
          kind: 'quick-run',
          tags: [],
          origin: source_task_id === null ? {} : { source_task_id },
          task: {
            qid: request.qid,
            input_overrides: request.input_parameter_overrides,
            run_overrides: request.run_parameter_overrides,
            source_task_id: source_task_id ?? NO_TASK,
            from_snapshot: false,
            reconfigure: request.reconfigure,
            persist: request.persist_output_parameters,
            ...(request.check && { check: true }),
          },
        });
        if (request.require_worker) await dependencies.assertWorker(backend);
        return checked;
      });
    },

    /**
     * Starts a task again with the inputs and run parameters of an earlier result, on the same target, chip and backend. Its
     * outputs become calibration state.
     * @throws as {@link startTask}; not_found for an unknown task result
     */
    reExecuteTask(order: RunOrder, taskId: TaskId, request: ReExecuteTask): Promise<StartedRun> {
      return start(order, ['re-execute', taskId, request], async () => {
        const source = await result(order.projectId, taskId);
        const execution = await dependencies.execution(order.projectId, source.execution_id);
        const { input, run } = request.parameter_overrides;
        return requests.check(order.projectId, {
          task_name: source.name,
          chip_id: source.chip_id,
          backend: execution?.backend ?? defaultBackend,
          kind: 're-execute',
          tags: source.tags,
          origin: { source_execution_id: source.execution_id, source_task_id: taskId },
          task: {
            qid: source.qid,
            input_overrides: input,
            run_overrides: run,
            source_task_id: taskId,
            from_snapshot: true,
            reconfigure: request.reconfigure,
            // A check that is repeated remains one.
            persist: source.check === undefined,
            ...(source.check && { check: true }),
          },
        });
      });
    },

    agentTasks: createAgentTasks({ ...dependencies, requests }),
  };
}
