import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Db } from 'mongodb';
import type { Engine } from '../../kernel/engine/temporal.ts';
import type { UserId } from '../../kernel/ids.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import type { SharingAccount } from '../../kernel/sharing-accounts.ts';
import type { MeasuringSettings } from '../backends/settings.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { Flows } from '../flows/index.ts';
import type { UpdateGate } from '../update-gate/index.ts';
import { projectBusy } from './busy-rules.ts';
import { createFirstAnswers } from './first-answers.ts';
import { holderOf } from './holder.ts';
import { createIdempotencyKeys, type SentKey, sentKey } from './idempotency-keys.ts';
import type { StartedRun } from './model.ts';
import { NotPreempted, preempt } from './preempt.ts';
import { createReservation } from './reservation.ts';
import type { RunIdentity, RunPolicy } from './run-model.ts';
import type { CheckedRun, RunOrder } from './run-order.ts';
import type { RunSettings } from './settings.ts';
import { startRunWorkflow } from './start-workflow.ts';
import { startedRunOf } from './wire.ts';

/** Number of history events after which a stage continues as new, so that history and replay stay short in long runs. */
const HISTORY_LIMIT = 1500;

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
  const { firstAnswer, answerOf, insertExecution } = createFirstAnswers({ engine, executions, keys, pages });
  const { reserve } = createReservation({
    engine,
    executions,
    flows,
    accountOf: dependencies.account,
    timezone: settings.TIMEZONE,
  });

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

  /** Reserves an id for a run and starts it, unless a request with the same key has started it. */
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
