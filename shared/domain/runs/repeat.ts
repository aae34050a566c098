import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { assertCalibratable } from '../chips/rules.ts';
import type { ExecutionDocument, ExecutionRequestDocument } from '../executions/model.ts';
import { isEndStatus } from '../executions/status-rules.ts';
import { MENU_FLOW } from '../flows/built-in-rules.ts';
import type { FlowDocument } from '../flows/saved-flow-model.ts';
import {
  calibratedTargets,
  type PlannedStage,
  type TargetOutcome,
  targetsToRetry,
  withUnreached,
} from '../results/outcome-rules.ts';
import type { StartedRun } from './model.ts';
import type { ReExecuteExecution, RetryExecution } from './request-model.ts';
import type { CheckedRun, RunOrder } from './run-order.ts';
import type { RunStarter } from './start.ts';
import type { StartFlow } from './start-flow.ts';

interface Dependencies {
  start: RunStarter;
  startFlow: StartFlow;
  execution(projectId: ProjectId, executionId: ExecutionId): Promise<ExecutionDocument | null>;
  request(projectId: ProjectId, executionId: ExecutionId): Promise<ExecutionRequestDocument | null>;
  outcomes(projectId: ProjectId, executionId: ExecutionId): Promise<TargetOutcome[]>;
  /** The stages of an execution that its flow has requested. */
  stages(projectId: ProjectId, executionId: ExecutionId): Promise<readonly PlannedStage[]>;
  flow(projectId: ProjectId, name: string): Promise<FlowDocument | null>;
  /** The backends that a project may use, by name. */
  backends(projectId: ProjectId): Promise<Readonly<Record<string, unknown>>>;
  chip(projectId: ProjectId, chipId: string): Promise<{ activity_status: 'active' | 'inactive' } | null>;
}

/** Starts runs that repeat an execution, as a whole or only for the targets that it did not calibrate. */
export function createRepeats(dependencies: Dependencies) {
  async function execution(projectId: ProjectId, executionId: ExecutionId): Promise<ExecutionDocument> {
    const found = await dependencies.execution(projectId, executionId);
    if (!found) throw new CalibronError('not_found', 'There is no such execution in this project.');
    return found;
  }

  /** The flow of a retry: the original code or the currently saved one; null for a single task. */
  async function flowOf({ project_id, flow }: ExecutionRequestDocument, code: RetryExecution['code']) {
    if (!flow || code === 'original') return flow;
    const saved = await dependencies.flow(project_id, flow.name);
    if (!saved) throw new CalibronError('not_found', 'The flow of this execution is not saved any more.');
    return { name: saved.name, hash: saved.hash, function_name: saved.flow_function_name };
  }

  async function checkRetry(
    { projectId, user }: RunOrder,
    executionId: ExecutionId,
    { code }: RetryExecution,
  ): Promise<CheckedRun> {
    const source = await execution(projectId, executionId);
    const { execution_id, chip_id, name, backend, tags, status } = source;
    if (!isEndStatus(status)) {
      throw new CalibronError(
        'conflict',
        `Execution ${execution_id} has not ended. Wait for its end or cancel it, then retry.`,
      );
    }
    const asked = await dependencies.request(projectId, execution_id);
    const [stored, stages] = await Promise.all([
      dependencies.outcomes(projectId, execution_id),
      dependencies.stages(projectId, execution_id),
    ]);
    const outcomes = withUnreached(stored, stages);
    const targets = targetsToRetry(outcomes);
    if (!asked || targets.length === 0) {
      throw new CalibronError(
        'conflict',
        `Execution ${execution_id} has no target that failed, was skipped, was cancelled or was not reached. Execute its flow to run all again.`,
      );
    }
    assertCalibratable(await dependencies.chip(projectId, chip_id), chip_id);
    if (!Object.hasOwn(await dependencies.backends(projectId), backend)) {
      throw new CalibronError(
        'conflict',
        `This project may no longer use the backend ${backend} of execution ${execution_id}. Execute its flow on another one.`,
      );
    }
    return {
      run: { chip_id, name, backend, tags },
      request: {
        flow: await flowOf(asked, code),
        parameters: { ...asked.parameters, username: user.username },
        default_run_parameters: asked.default_run_parameters,
        task: asked.task,
        targets,
        earlier: {
          execution_ids: [...(asked.earlier?.execution_ids ?? []), execution_id],
          passed: [...new Set([...(asked.earlier?.passed ?? []), ...calibratedTargets(outcomes)])],
        },
        origin: { retry_of: execution_id },
      },
    };
  }

  return {
    /**
     * Runs a flow with its own default parameters, overridden by the request's. The parameter `source_execution_id` of the run
     * names the repeated execution.
     * @throws as starting the flow does; not_found for an unknown execution
     */
    async reExecute(
      order: RunOrder,
      executionId: ExecutionId,
      { flow_name, parameter_overrides }: ReExecuteExecution,
    ): Promise<StartedRun> {
      const { execution_id } = await execution(order.projectId, executionId);
      const asked = await dependencies.request(order.projectId, execution_id);
      // The built-in flow has no defaults: its menu is a parameter of the run.
      const menu =
        flow_name === MENU_FLOW && asked?.flow?.name === MENU_FLOW ? asked.parameters['menu'] : undefined;
      const request = { parameters: { ...(menu === undefined ? {} : { menu }), ...parameter_overrides } };
      return dependencies.startFlow(order, flow_name, request, { source_execution_id: execution_id });
    },

    /**
     * Repeats the request of an execution with the same parameters, chip and backend, but measures only the targets of which a
     * task failed, was skipped or was never reached. Targets that are already calibrated pass its stages and filters without a measurement.
     * @throws not_found for execution, flow or chip; conflict when the execution still runs, has nothing to retry, its chip is
     * inactive, or the project may no longer use its backend; project_busy, update_running, idempotency_conflict
     */
    retry(order: RunOrder, executionId: ExecutionId, request: RetryExecution): Promise<StartedRun> {
      return dependencies.start(order, ['retry', executionId, request.code], () =>
        checkRetry(order, executionId, request),
      );
    },
  };
}
