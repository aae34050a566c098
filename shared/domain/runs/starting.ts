import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Db } from 'mongodb';
import type { Settings } from '../../kernel/config.ts';
import { type CollectionIndexes, isDuplicateKey } from '../../kernel/database.ts';
import { searchAttributesOf } from '../../kernel/engine/search-attributes.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, lockWorkflowId, workflowNames } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, sha256 } from '../../kernel/ids.ts';
import { calendarDay } from '../../kernel/time.ts';
import { newExecution } from '../executions/documents.ts';
import type { ExecutionRequest, StartedRun } from '../executions/model.ts';
import type { ClosedWorkflowStatus } from '../executions/rules.ts';
import type { ExecutionStore } from '../executions/store.ts';
import type { CalibrationRunInput, RunIdentity, RunPolicy, SingleTaskRunInput } from './run.ts';

export const idempotencyIndexes: CollectionIndexes = {
  collection: 'idempotency_keys',
  indexes: [{ name: 'by_age', key: { created_at: 1 }, expireAfterSeconds: 7 * 24 * 3600 }],
};

interface IdempotencyDocument {
  _id: string;
  fingerprint: string;
  /** The run that the key stands for, and the sentence of its first answer: what it ran may change later. */
  run: RunIdentity;
  message: string;
  created_at: Date;
}

type OpenWorkflowStatus = Exclude<WorkflowExecutionStatusName, ClosedWorkflowStatus>;

/** Whether a workflow still holds what it holds: a paused one goes on later, an unclear state counts as open. */
export function isOpenWorkflow(status: WorkflowExecutionStatusName): status is OpenWorkflowStatus {
  return status === 'RUNNING' || status === 'PAUSED' || status === 'UNSPECIFIED' || status === 'UNKNOWN';
}

/** Events after which a stage continues as new, so that neither its history nor its replay grows with the run. */
const HISTORY_LIMIT = 1500;

/** A request to start a run, checked already: flow, chip and task exist. */
export interface StartRequest {
  run: Omit<RunIdentity, 'execution_id'>;
  request: Omit<ExecutionRequest, '_id' | 'project_id' | 'execution_id' | 'created_at'>;
  /** From the header `Idempotency-Key`: the same key and fingerprint answers the first result. */
  idempotencyKey?: string | undefined;
  /** Hash of what the client sent; without one, `request` stands for it. */
  fingerprint?: string | undefined;
}

export type ExecutionStarter = ReturnType<typeof createExecutionStarter>;

/** Starts runs. The open workflow `exec:<project>` is the lock: the engine lets one start win. */
export function createExecutionStarter(dependencies: {
  db: Db;
  engine: Engine;
  settings: Pick<
    Settings,
    | 'TIMEZONE'
    | 'TEMPORAL_UI_URL'
    | 'CLIENT_URL'
    | 'MEASURE_HEARTBEAT_TIMEOUT'
    | 'STAGE_PARALLEL'
    | 'CALIB_DATA_PATH'
  >;
  executions: ExecutionStore;
  /** Events after which a stage continues as new; smaller in tests. */
  historyLimit?: number | undefined;
}) {
  const { db, engine, settings, executions } = dependencies;
  const keys = db.collection<IdempotencyDocument>(idempotencyIndexes.collection);
  const policy: RunPolicy = {
    heartbeat_timeout: settings.MEASURE_HEARTBEAT_TIMEOUT,
    parallel: settings.STAGE_PARALLEL,
    history_limit: dependencies.historyLimit ?? HISTORY_LIMIT,
  };

  /** The run that holds the project, as the engine knows it; null when the project is free. */
  async function holderOf(projectId: string): Promise<{ execution_id: string; flow_run_id: string } | null> {
    try {
      const description = await withinDeadline(engine, () =>
        engine.client.workflow.getHandle(lockWorkflowId(projectId)).describe(),
      );
      if (!isOpenWorkflow(description.status.name)) return null;
      return {
        execution_id: String(description.memo?.['execution_id'] ?? ''),
        flow_run_id: description.raw.workflowExecutionInfo?.firstRunId || description.runId,
      };
    } catch (thrown) {
      if (thrown instanceof WorkflowNotFoundError) return null;
      throw thrown;
    }
  }

  function answer(run: RunIdentity, flowRunId: string, message: string): StartedRun {
    const link = `${settings.CLIENT_URL}/execution/${encodeURIComponent(run.chip_id)}/${run.execution_id}`;
    return {
      execution_id: run.execution_id,
      flow_run_id: flowRunId,
      flow_run_url: flowRunUrl(settings.TEMPORAL_UI_URL, engine.namespace, run.project_id, flowRunId),
      service_ui_url: link,
      qdash_ui_url: link,
      message,
    };
  }

  const keyId = (projectId: string, userId: string, key: string) => keyOf(projectId, userId, sha256(key));

  /** What an idempotency key was used for; null for a new one. @throws idempotency_conflict */
  async function recall(id: string, fingerprint: string): Promise<IdempotencyDocument | null> {
    const document = await keys.findOne({ _id: id });
    if (document && document.fingerprint !== fingerprint) {
      throw new CalibronError(
        'idempotency_conflict',
        'This Idempotency-Key was used with another request. Send a new key for a new request.',
      );
    }
    return document;
  }

  /** The first answer of a key, null when its start was never carried through. */
  async function answerOfKey({ run, message }: IdempotencyDocument): Promise<StartedRun | null> {
    const stored = await executions.get(run.project_id, run.execution_id);
    if (stored) return answer(run, stored.note['flow_run_id']?.toString() ?? '', message);
    const holder = await holderOf(run.project_id);
    return holder?.execution_id === run.execution_id ? answer(run, holder.flow_run_id, message) : null;
  }

  async function begin(run: RunIdentity, task: ExecutionRequest['task'], key: string): Promise<string> {
    const common = {
      workflowId: lockWorkflowId(run.project_id),
      taskQueue: CALIBRATION_QUEUE,
      workflowIdConflictPolicy: 'FAIL' as const,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
      memo: { execution_id: run.execution_id, idempotency_key: key },
      typedSearchAttributes: searchAttributesOf(run),
      staticSummary: `${run.name} · ${run.chip_id} · ${run.execution_id}`,
    };
    const handle = await withinDeadline(engine, () =>
      task
        ? engine.client.workflow.start<(input: SingleTaskRunInput) => Promise<unknown>>(
            workflowNames.singleTaskRun,
            {
              ...common,
              args: [{ run, policy, task_name: task.name, qid: task.qid }],
            },
          )
        : engine.client.workflow.start<(input: CalibrationRunInput) => Promise<unknown>>(
            workflowNames.calibrationRun,
            {
              ...common,
              args: [{ run, policy }],
            },
          ),
    );
    return handle.firstExecutionRunId;
  }

  async function refuse(projectId: string, executionId: string): Promise<never> {
    await executions.release(projectId, executionId);
    const holder = await holderOf(projectId);
    throw new CalibronError(
      'project_busy',
      holder?.execution_id
        ? `The project is held by execution ${holder.execution_id}. Wait for it to end or cancel it, then start again.`
        : 'The project was held by another run. Start again.',
    );
  }

  return {
    holderOf,

    /**
     * The first answer of an idempotency key; null when the key is new or its start was never carried
     * through. Asked before any other check: what the first request needed may be gone meanwhile.
     * @throws CalibronError `idempotency_conflict`.
     */
    async known(
      projectId: string,
      userId: string,
      key: string,
      fingerprint: string,
    ): Promise<StartedRun | null> {
      const document = await recall(keyId(projectId, userId, key), fingerprint);
      return document && answerOfKey(document);
    },

    /**
     * Starts a calibration run or a single task.
     * @throws CalibronError `project_busy` naming the holder, or `idempotency_conflict`.
     */
    async start(start: StartRequest): Promise<StartedRun> {
      const { project_id, chip_id, user_id } = start.run;
      const { task } = start.request;
      const fingerprint =
        start.fingerprint ?? sha256(JSON.stringify([start.run.name, chip_id, start.request]));
      const key = start.idempotencyKey ? keyId(project_id, user_id, start.idempotencyKey) : '';
      let document = key ? await recall(key, fingerprint) : null;
      if (document) {
        const first = await answerOfKey(document);
        if (first) return first;
      } else {
        const holder = await holderOf(project_id);
        if (holder) {
          throw new CalibronError(
            'project_busy',
            `The project is held by execution ${holder.execution_id}. Wait for it to end or cancel it, then start again.`,
          );
        }
      }
      // A start that was cut off goes on as it began: its request is stored under its execution id.
      const run = document?.run ?? {
        ...start.run,
        execution_id: await executions.reserve(
          { project_id, chip_id, day: calendarDay(new Date(), settings.TIMEZONE) },
          start.request,
        ),
      };
      const message = task ? `Task ${task.name} was started.` : `Flow ${run.name} was started.`;
      if (key && !document) {
        document = { _id: key, fingerprint, run, message, created_at: new Date() };
        try {
          await keys.insertOne(document);
        } catch (thrown) {
          if (!isDuplicateKey(thrown)) throw thrown;
          await executions.release(project_id, run.execution_id);
          return this.start(start);
        }
      }
      let flowRunId: string;
      try {
        flowRunId = await begin(run, task, key);
      } catch (thrown) {
        if (!(thrown instanceof WorkflowExecutionAlreadyStartedError)) throw thrown;
        const first = document && (await answerOfKey(document));
        if (first) return first;
        if (key) await keys.deleteOne({ _id: key, 'run.execution_id': run.execution_id });
        return refuse(project_id, run.execution_id);
      }
      await executions.insert(
        newExecution(run, flowRunId, settings.CALIB_DATA_PATH, new Date(), start.request.origin),
      );
      return answer(run, flowRunId, message);
    },
  };
}

/** Address of a run in the engine's UI. */
export function flowRunUrl(uiUrl: string, namespace: string, projectId: string, flowRunId: string): string {
  return `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(lockWorkflowId(projectId))}/${flowRunId}/history`;
}
