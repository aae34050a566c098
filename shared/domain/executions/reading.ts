import { CalibronError } from '../../kernel/errors.ts';
import { executionIdSchema, isUuid, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import { readAhead } from '../../kernel/read-ahead.ts';
import { entityTagOfState } from '../../kernel/state-tags.ts';
import type { TaskResultStore } from '../results/index.ts';
import { largeFields, type TaskResult } from '../results/model.ts';
import { taskEnds } from '../results/status-rules.ts';
import { taskResultOf } from '../results/wire.ts';
import type { CommandStore } from './command-store.ts';
import { createForecasts } from './forecast.ts';
import type { ExecutionDocument, ExecutionStageDetail, ShownTasks } from './model.ts';
import { createTimeAccount } from './spent-time.ts';
import type { ExecutionStore } from './store.ts';
import {
  executionDetailText,
  executionHeadOf,
  executionLogEntryOf,
  executionStageDetailOf,
  executionStageOf,
  executionSummaryOf,
} from './wire.ts';

/** Maximum number of log entries in the detail of an execution. */
const LOG_IN_DETAIL = 200;

/** Read access to the records of executions. */
export function createExecutionReader(dependencies: {
  executions: ExecutionStore;
  commands: CommandStore;
  results: TaskResultStore;
  /** Root of the calibration data. */
  root: string;
  timezone: string;
}) {
  const { executions, commands, results, root, timezone } = dependencies;
  return {
    /** Finds an execution by its id or its flow run id. @throws not_found */
    async find(projectId: ProjectId, id: string): Promise<ExecutionDocument> {
      const stored = isUuid(id)
        ? await executions.byFlowRun(projectId, id)
        : await executions.get(projectId, executionIdSchema.parse(id));
      if (!stored) {
        throw new CalibronError('not_found', `There is no execution ${id.slice(0, 64)} in this project.`);
      }
      return stored;
    },

    /** A page of the executions of a chip, newest first. */
    async list(projectId: ProjectId, chipId: string, page: Parameters<ExecutionStore['list']>[2]) {
      const { items, total } = await executions.list(projectId, chipId, page);
      const { skip, limit } = page;
      return { executions: items.map(executionSummaryOf), total, skip, limit };
    },

    /** Days on which a chip had executions, in order. */
    async days(projectId: ProjectId, chipId: string) {
      return { data: await executions.days(projectId, chipId) };
    },

    /** The tags of a project's executions, by name. */
    async tags(projectId: ProjectId) {
      return { tags: (await executions.tags(projectId)).map((name) => ({ name })) };
    },

    /**
     * An execution with its log and its tasks, as chunks of JSON text.
     * @param flowRunUrl address of its run in the engine's UI
     */
    async detail(
      execution: ExecutionDocument,
      flowRunUrl: string | null,
      shown: ShownTasks = {},
    ): Promise<AsyncIterable<string>> {
      const { project_id, execution_id } = execution;
      const { fields, skip, limit } = shown;
      const log = await commands.newestEntries(project_id, execution_id, LOG_IN_DETAIL);
      const pages = results.pagesOfExecution(project_id, execution_id, {
        skip,
        limit,
        without: fields && largeFields.filter((name) => !fields.includes(name)),
      });
      return executionDetailText(root, execution, { log, pages: readAhead(pages), flowRunUrl, fields });
    },

    /** The entity tag of {@link detail}, found without reading the tasks. Read it before them. */
    async tagOfDetail(execution: ExecutionDocument, shown: ShownTasks = {}): Promise<string> {
      const { project_id, execution_id } = execution;
      const [entry, tasks] = await Promise.all([
        commands.newestEntry(project_id, execution_id),
        results.stateOfExecution(project_id, execution_id),
      ]);
      return entityTagOfState(root, executionHeadOf(execution), entry, tasks, shown);
    },

    /** A page of the log and record entries of an execution's flow, in order. */
    async log({ project_id, execution_id }: ExecutionDocument, page: { skip: number; limit: number }) {
      const { items, total } = await commands.entries(project_id, execution_id, page);
      return { log: items.map(executionLogEntryOf), total, ...page };
    },

    ...createTimeAccount({ executions, commands, results, timezone }),

    ...createForecasts({
      executions,
      async settledTasks({ project_id, execution_id }) {
        const counts = await results.countByStatus(project_id, execution_id);
        return taskEnds.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
      },
    }),

    /** A page of the stages of an execution, in order. */
    async stages({ project_id, execution_id }: ExecutionDocument, page: { skip: number; limit: number }) {
      const { items, total } = await commands.stages(project_id, execution_id, page);
      return { stages: items.map(executionStageOf), total, ...page };
    },

    /** One stage with its metrics. @throws not_found */
    async stage(
      { project_id, execution_id }: ExecutionDocument,
      index: number,
    ): Promise<ExecutionStageDetail> {
      const command = await commands.get(project_id, execution_id, index);
      if (command?.kind !== 'stage') {
        throw new CalibronError('not_found', `Execution ${execution_id} has no stage ${index}.`);
      }
      return executionStageDetailOf(command);
    },

    /** The result of one task, with the tasks that repeat it. @throws not_found */
    async taskResult(projectId: ProjectId, taskId: TaskId): Promise<TaskResult> {
      const task = await results.get(projectId, taskId);
      if (!task) throw new CalibronError('not_found', 'There is no such task result in this project.');
      const [execution, madeFrom] = await Promise.all([
        executions.get(projectId, task.execution_id),
        results.madeFrom(projectId, taskId),
      ]);
      return taskResultOf(root, task, execution?.name ?? '', madeFrom);
    },
  };
}
