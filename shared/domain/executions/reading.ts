import { WorkflowNotFoundError } from '@temporalio/client';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { lockWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { TaskResult } from '../results/model.ts';
import type { TaskResultStore } from '../results/store.ts';
import { taskResultOf } from '../results/wire.ts';
import type { ExecutionCloser } from '../runs/closing.ts';
import type { ExecutionStarter } from '../runs/starting.ts';
import { executionDetailText } from './detail.ts';
import { executionSummaryOf } from './documents.ts';
import type { ExecutionDocument, LockStatus } from './model.ts';
import { isEndStatus } from './rules.ts';
import type { ExecutionStore } from './store.ts';

export type ExecutionReader = ReturnType<typeof createExecutionReader>;

/** What clients ask about executions, and cancel, which needs the same knowledge. */
export function createExecutionReader(dependencies: {
  engine: Engine;
  executions: ExecutionStore;
  results: TaskResultStore;
  closer: ExecutionCloser;
  starter: ExecutionStarter;
}) {
  const { engine, executions, results, closer, starter } = dependencies;

  /** An execution by its id or by its run's id, as it is stored. */
  async function locate(projectId: string, id: string): Promise<ExecutionDocument> {
    const stored = isUuid(id)
      ? await executions.byFlowRun(projectId, id)
      : await executions.get(projectId, id);
    if (!stored) {
      throw new CalibronError('not_found', `There is no execution ${id.slice(0, 64)} in this project.`);
    }
    return stored;
  }

  /** As {@link locate}, compared with the engine when it is still open. */
  async function find(projectId: string, id: string): Promise<ExecutionDocument> {
    const stored = await locate(projectId, id);
    if (isEndStatus(stored.status)) return stored;
    // A read must not fail because the engine is away: the stored state is then the best there is.
    const closed = await closer.reconcile(stored).catch((thrown: unknown) => {
      if (isEngineUnavailable(thrown)) return false;
      throw thrown;
    });
    return closed ? ((await executions.get(projectId, stored.execution_id)) ?? stored) : stored;
  }

  return {
    locate,
    find,

    async list(projectId: string, chipId: string, page: { skip: number; limit: number }) {
      const { items, total } = await executions.list(projectId, chipId, page);
      return { executions: items.map(executionSummaryOf), total, ...page };
    },

    /** An execution with its tasks, as JSON text in pieces. */
    async detail(projectId: string, id: string): Promise<AsyncIterable<string>> {
      const execution = await find(projectId, id);
      return executionDetailText(execution, results.pagesOfExecution(projectId, execution.execution_id));
    },

    /**
     * The engine decides `lock`; the rest is the holder's, without a holder the project's newest
     * execution's. A holder whose row is not there yet has nothing but its id: another run's chip
     * beside that id would be wrong.
     */
    async lockStatus(projectId: string): Promise<LockStatus> {
      const holder = await starter.holderOf(projectId);
      const execution = holder
        ? await executions.get(projectId, holder.execution_id)
        : await executions.latest(projectId);
      return {
        lock: holder !== null,
        execution_id: (holder ?? execution)?.execution_id || null,
        chip_id: execution?.chip_id ?? null,
        name: execution?.name ?? null,
        status: execution?.status ?? null,
      };
    },

    /**
     * Asks the engine to cancel the run with this id, never a later one of the project.
     * @throws CalibronError 400 malformed id, 403 another project's run, 404 unknown, 409 ended already.
     */
    async cancel(projectId: string, flowRunId: string) {
      if (!isUuid(flowRunId)) {
        throw new CalibronError('bad_request', 'flow_run_id must be the UUID of a flow run.');
      }
      const execution = await executions.byFlowRun(projectId, flowRunId);
      if (!execution) {
        throw (await executions.flowRunExists(flowRunId))
          ? new CalibronError('forbidden', 'This flow run belongs to another project.')
          : new CalibronError('not_found', 'There is no such flow run.');
      }
      const notCancellable = () =>
        new CalibronError(
          'not_cancellable',
          `Execution ${execution.execution_id} has ended and cannot be cancelled.`,
        );
      if (isEndStatus(execution.status)) throw notCancellable();
      const handle = engine.client.workflow.getHandle(lockWorkflowId(projectId), undefined, {
        firstExecutionRunId: flowRunId,
      });
      try {
        await withinDeadline(engine, () => handle.cancel());
      } catch (thrown) {
        if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
        await closer.reconcile(execution);
        throw notCancellable();
      }
      await executions.noteCancelRequest(execution, new Date());
      return {
        execution_id: flowRunId,
        status: 'cancelling' as const,
        message: `Execution ${execution.execution_id} is being cancelled.`,
      };
    },

    async taskResult(projectId: string, taskId: string): Promise<TaskResult> {
      const task = await results.get(projectId, taskId);
      if (!task) throw new CalibronError('not_found', 'There is no such task result in this project.');
      const [execution, madeFrom] = await Promise.all([
        executions.get(projectId, task.execution_id),
        results.madeFrom(projectId, taskId),
      ]);
      return taskResultOf(task, execution?.name ?? '', madeFrom);
    },
  };
}
