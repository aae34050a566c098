import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Db } from 'mongodb';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { isServiceAccount } from '../../kernel/owning-user.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { type SharingAccount, shareUserId } from '../../kernel/sharing-accounts.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { MeasuringSettings } from '../backends/settings.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import { type ExecutionStore, newExecution } from '../executions/index.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { Flows } from '../flows/index.ts';
import type { UpdateGate } from '../update-gate/index.ts';
import { projectBusy } from './busy-rules.ts';
import { holderIn, holderOf, lastingHolderOf } from './holder.ts';
import {
  createIdempotencyKeys,
  type IdempotencyKeyDocument,
  type SentKey,
  sentKey,
} from './idempotency-keys.ts';
import type { StartedRun } from './model.ts';
import { NotPreempted, preempt } from './preempt.ts';
import type { RunIdentity, RunPolicy } from './run-model.ts';
import type { RunSettings } from './settings.ts';
import { startRunWorkflow } from './start-workflow.ts';
import { startedRunOf } from './wire.ts';

/** Number of history events after which a stage continues as new, so that history and replay stay short in long runs. */
const HISTORY_LIMIT = 1500;

/** Who requests a run, and in which project. */
export interface RunOrder {
  projectId: ProjectId;
  user: SharingAccount & { username: string };
  /** From the header `Idempotency-Key`: the same key with the same request returns the first answer. */
  idempotencyKey: string | undefined;
  /** What starts the run on the user's behalf; by default, the user. */
  trigger?: RunIdentity['trigger'];
  /** While a run with a lower priority holds the project and allows it, this one uses the chip in between. Default 0. */
  priority?: number | undefined;
  /** Whether runs with a higher priority may use the chip between the measurements of this one. */
  allowPreemption?: boolean | undefined;
  /** Throws when no new run may be started. A run that its key has already started is still returned. */
  assertAllowed?: () => Promise<void>;
}

/** A run that has passed its checks: flow, chip, backend and task exist. */
export interface CheckedRun {
  run: Pick<RunIdentity, 'chip_id' | 'name' | 'backend' | 'tags'>;
  request: Omit<ExecutionRequestDocument, '_id' | 'project_id' | 'execution_id' | 'created_at'>;
}

export type RunStarter = ReturnType<typeof createRunStarter>;

/** Seconds without a heartbeat after which a record-keeping worker counts as dead, unless a setting overrides it. */
const RECORD_HEARTBEAT_TIMEOUT = 10;

/** Starts runs. The open workflow `exec:<project>` is the lock: of concurrent starts, the engine accepts one. */
export function createRunStarter(dependencies: {
  db: Db;
  engine: Engine;
  settings: Pick<MeasuringSettings, 'MEASURE_HEARTBEAT_TIMEOUT'> &
    RunSettings &
    Pick<KernelSettings, 'TIMEZONE' | 'TEMPORAL_UI_URL' | 'CLIENT_URL' | 'CALIB_DATA_PATH'>;
  executions: ExecutionStore;
  flows: Pick<Flows, 'pin'>;
  gate: Pick<UpdateGate, 'whileOpen'>;
  /** An account by its id. */
  account(userId: UserId): Promise<SharingAccount | null>;
  /** Number of history events after which a stage continues as new; smaller in tests. */
  historyLimit?: number | undefined;
}) {
  const { db, engine, settings, executions, flows, gate } = dependencies;
  const keys = createIdempotencyKeys(db);
  const policy: RunPolicy = {
    heartbeat_timeout: settings.MEASURE_HEARTBEAT_TIMEOUT ?? RECORD_HEARTBEAT_TIMEOUT,
    parallel: settings.STAGE_PARALLEL,
    history_limit: dependencies.historyLimit ?? HISTORY_LIMIT,
  };
  const pages = {
    clientUrl: settings.CLIENT_URL,
    engineUrl: settings.TEMPORAL_UI_URL,
    namespace: engine.namespace,
  };

  /** The first answer of a key; null when its start was never completed. */
  async function firstAnswer({ run, message }: IdempotencyKeyDocument): Promise<StartedRun | null> {
    const stored = await executions.get(run.project_id, run.execution_id);
    if (stored) return startedRunOf(run, flowRunIdOf(stored), message, pages);
    const holder = holderIn(await describeWorkflow(engine, runWorkflowId(run)));
    if (holder?.execution_id !== run.execution_id) return null;
    // The start was interrupted before its record was written. Write it now, so that the run can be queried at once.
    const request = await executions.request(run.project_id, run.execution_id);
    await insertExecution(run, holder.flow_run_id, request?.origin);
    return startedRunOf(run, holder.flow_run_id, message, pages);
  }

  /** The first answer of a key that may be new. */
  async function answerOf(key: SentKey | null): Promise<StartedRun | null> {
    const known = key && (await keys.find(key));
    return known && firstAnswer(known);
  }

  async function insertExecution(
    run: RunIdentity,
    flow_run_id: string,
    origin: ExecutionRequestDocument['origin'],
  ): Promise<void> {
    await executions.insert(newExecution(run, { flow_run_id, at: new Date(), origin }));
  }

  /** The user whose share a service account uses; null for a person. */
  async function shareOf(userId: UserId): Promise<string | null> {
    const account = isServiceAccount(userId) ? await dependencies.account(userId) : null;
    return account && shareUserId(account);
  }

  /** Reserves an execution id for a new run. @throws project_busy, conflict when the code of its flow no longer exists */
  async function reserve(
    { projectId, user, trigger = 'api', priority = 0 }: RunOrder,
    { run, request }: CheckedRun,
  ): Promise<RunIdentity> {
    const { flow } = request;
    const [holder, isPinned] = await Promise.all([
      lastingHolderOf(engine, executions, projectId),
      flow ? flows.pin(projectId, flow.name, flow.hash) : true,
    ]);
    if (holder && priority === 0) throw projectBusy(holder, 'start again');
    if (!isPinned) {
      throw new CalibronError('conflict', 'The code of the flow was replaced or deleted. Start again.');
    }
    const day = calendarDay(new Date(), settings.TIMEZONE);
    const where = { project_id: projectId, chip_id: run.chip_id, day };
    const share = await shareOf(user._id);
    return {
      project_id: projectId,
      execution_id: await executions.reserve(where, request),
      chip_id: run.chip_id,
      name: run.name,
      user_id: user._id,
      username: user.username,
      ...(share !== null && { share_user_id: share }),
      backend: run.backend,
      trigger,
      tags: run.tags,
      ...(holder && { preempts: holder.execution_id }),
    };
  }

  /** The limits of a run. */
  function policyOf({ priority = 0, allowPreemption = false }: RunOrder): RunPolicy {
    if (!allowPreemption) return policy;
    return {
      ...policy,
      preemption: { priority, seconds_per_hour: Math.round(3600 * settings.PREEMPTION_SHARE) },
    };
  }

  /**
   * Starts the workflow of a run, within the run that it preempts unless that has ended meanwhile.
   * @returns the run as it was started, and the id of its workflow's first run
   * @throws WorkflowExecutionAlreadyStartedError or NotPreempted while the project is held
   */
  async function startWorkflowOf(
    order: RunOrder,
    run: RunIdentity,
    { task, key }: { task: ExecutionRequestDocument['task']; key: SentKey | null },
  ): Promise<{ run: RunIdentity; flow_run_id: string }> {
    const { preempts, ...alone } = run;
    if (preempts !== undefined) {
      const { priority = 0 } = order;
      const single = task && { name: task.name, qid: task.qid };
      const flow_run_id = await preempt(engine, { run, policy, priority, task: single });
      if (flow_run_id !== null) return { run, flow_run_id };
    }
    const wanted = { run: alone, policy: policyOf(order), task, key: key?.id ?? '' };
    return { run: alone, flow_run_id: await startRunWorkflow(engine, wanted) };
  }

  async function begin(order: RunOrder, key: SentKey | null, checked: CheckedRun): Promise<StartedRun> {
    const { task, origin } = checked.request;
    let known = key && (await keys.find(key));
    const first = known && (await firstAnswer(known));
    if (first) return first;
    let run: RunIdentity;
    try {
      // An interrupted start continues with its own run: its request is stored under its execution id.
      run = known?.run ?? (await reserve(order, checked));
    } catch (thrown) {
      // The project may be held by the run of another request with this key, which came after the lookup of the key.
      const answer = await answerOf(key);
      if (answer) return answer;
      throw thrown;
    }
    const { project_id, execution_id } = run;
    const message = task ? `Task ${task.name} was started.` : `Flow ${run.name} was started.`;
    if (key && !known) {
      known = await keys.claim(key, run, message);
      if (!known) {
        await executions.release(run);
        return begin(order, key, checked);
      }
    }
    let started: Awaited<ReturnType<typeof startWorkflowOf>>;
    try {
      started = await startWorkflowOf(order, run, { task, key });
    } catch (thrown) {
      const isRefused =
        thrown instanceof WorkflowExecutionAlreadyStartedError || thrown instanceof NotPreempted;
      if (!isRefused) throw thrown;
      const faster = known && (await firstAnswer(known));
      if (faster) return faster;
      if (key) await keys.release(key, execution_id);
      await executions.release(run);
      const why = thrown instanceof NotPreempted ? thrown.message : null;
      throw projectBusy(await holderOf(engine, project_id), 'start again', why);
    }
    await insertExecution(started.run, started.flow_run_id, origin);
    return startedRunOf(started.run, started.flow_run_id, message, pages);
  }

  /**
   * Starts a run. A known idempotency key is answered before any look-up: what the first request needed may have changed
   * meanwhile, but the answer must not.
   * @param asked the whole request of the client; its key is refused with another request
   * @param check looks up and checks what the run needs
   * @throws project_busy naming the holder, update_running, idempotency_conflict, and what `check` throws
   */
  return async function start(
    order: RunOrder,
    asked: readonly unknown[],
    check: () => Promise<CheckedRun>,
  ): Promise<StartedRun> {
    const { projectId, user, idempotencyKey } = order;
    const key = idempotencyKey ? sentKey(projectId, user._id, idempotencyKey, asked) : null;
    const first = await answerOf(key);
    if (first) return first;
    await order.assertAllowed?.();
    const checked = await check();
    return gate.whileOpen(projectId, () => begin(order, key, checked));
  };
}
