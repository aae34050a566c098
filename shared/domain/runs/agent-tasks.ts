import { CalibronError } from '../../kernel/errors.ts';
import { type ExecutionId, NO_TASK, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { StartedRun } from './model.ts';
import type { RunOrder } from './run-order.ts';
import type { RunStarter } from './start.ts';
import type { TaskRequests } from './task-request.ts';

/** A task that an agent requests. */
export interface AgentTask {
  chip_id: string;
  task_name: string;
  qid: string;
  input_overrides: Record<string, number>;
}

/** The user and the agent action behind a run. An action is run at most once. */
export interface AgentOrder extends Pick<RunOrder, 'projectId' | 'user' | 'priority' | 'assertAllowed'> {
  action_id: string;
}

/** No run was started for an action. */
class NotBegun extends Error {}

export interface AgentTaskDependencies {
  start: RunStarter;
  requests: TaskRequests;
  /** The newest result of a task on a target in an execution. */
  newestIn(
    projectId: ProjectId,
    executionId: ExecutionId,
    of: { name: string; qid: string },
  ): Promise<{ task_id: TaskId } | null>;
  execution(
    projectId: ProjectId,
    executionId: ExecutionId,
  ): Promise<{ backend: string; chip_id: string } | null>;
  defaultBackend: string;
}

/** Tasks requested by agents. Their outputs stay in the task result until they are committed. */
export function createAgentTasks({
  start,
  requests,
  newestIn,
  execution: executionOf,
  defaultBackend,
}: AgentTaskDependencies) {
  /** The result in an execution that provides the inputs of an agent's task; null when the task has none there. */
  async function sourceIn(
    projectId: ProjectId,
    { chip_id, task_name, qid }: AgentTask,
    executionId: ExecutionId,
  ) {
    const execution = await executionOf(projectId, executionId);
    if (execution?.chip_id !== chip_id) {
      throw new CalibronError(
        'bad_request',
        `There is no execution ${executionId.slice(0, 64)} of the chip ${chip_id} in this project.`,
      );
    }
    // Only names of the catalog have older forms.
    const name = findTask(task_name)?.name ?? task_name;
    return newestIn(projectId, executionId, { name, qid });
  }

  return {
    /** Why a task can never run; null when it can. */
    async problem(projectId: ProjectId, wanted: AgentTask): Promise<string | null> {
      const { task_name, chip_id, qid, input_overrides } = wanted;
      const { problems } = await requests.problemsOf(projectId, {
        task_name,
        chip_id,
        backend: defaultBackend,
        task: { qid, input_overrides, run_overrides: {} },
      });
      return problems.length > 0 ? problems.join(' ') : null;
    },

    /** @throws as starting any task does */
    start(
      order: AgentOrder,
      wanted: AgentTask & {
        session_id: string;
        /** Execution whose inputs the task starts from, if the task ran there on this target. */
        source_execution_id: ExecutionId | null;
        reconfigure: boolean;
      },
    ): Promise<StartedRun> {
      const { session_id, source_execution_id } = wanted;
      return start(agentOrder(order), fingerprintOf(order), async () => {
        const source =
          source_execution_id === null ? null : await sourceIn(order.projectId, wanted, source_execution_id);
        return requests.check(order.projectId, {
          task_name: wanted.task_name,
          chip_id: wanted.chip_id,
          backend: defaultBackend,
          kind: 'agent',
          tags: [`agent-session:${session_id}`],
          origin: {
            agent_session_id: session_id,
            agent_action_id: order.action_id,
            ...(source_execution_id === null ? {} : { source_execution_id }),
            ...(source && { source_task_id: source.task_id }),
          },
          task: {
            qid: wanted.qid,
            input_overrides: wanted.input_overrides,
            run_overrides: {},
            source_task_id: source?.task_id ?? NO_TASK,
            from_snapshot: source !== null,
            reconfigure: wanted.reconfigure,
            persist: false,
          },
        });
      });
    },

    /** The run that was started for an action; null when there is none. */
    async begun(order: AgentOrder): Promise<StartedRun | null> {
      const refuse = async () => {
        throw new NotBegun();
      };
      try {
        return await start({ ...agentOrder(order), assertAllowed: refuse }, fingerprintOf(order), refuse);
      } catch (thrown) {
        if (thrown instanceof NotBegun) return null;
        throw thrown;
      }
    },
  };
}

/** The order of the run that belongs to an action. */
function agentOrder({ action_id, ...order }: AgentOrder): RunOrder {
  return { ...order, idempotencyKey: `agent-action:${action_id}`, trigger: 'agent' };
}

/** The fingerprint contains the action only: a repeat does not change how it was first started. */
const fingerprintOf = ({ action_id }: AgentOrder) => ['agent', action_id];
