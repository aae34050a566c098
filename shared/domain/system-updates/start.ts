import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { startOnceClosed } from '../../kernel/engine/closing.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { SYSTEM_QUEUE, SYSTEM_UPDATE_ID } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { RunError } from '../runs/errors.ts';
import { UpdateGateError } from '../update-gate/errors.ts';
import type { RunStart, UpdateGate } from '../update-gate/index.ts';
import { UpdateError } from './errors.ts';
import type { Installation, UpdateDocument, UpdatePlan } from './model.ts';
import { chooseUpdate, currentVersion } from './rules.ts';
import type { UpdateStore } from './store.ts';
import { systemUpdate } from './workflow-model.ts';

interface Dependencies {
  engine: Engine;
  gate: UpdateGate;
  store: UpdateStore;
  look(): Promise<Installation>;
  /** The same, but always asks the remote. */
  lookAnew(): Promise<Installation>;
  /** The run that holds a project, null if it is free. */
  holder(projectId: ProjectId): Promise<{ execution_id: ExecutionId } | null>;
  /** An open run according to the engine's current state; null if there is none. */
  anyOpenRun(): Promise<{ project_id: ProjectId; execution_id: ExecutionId } | null>;
  /** Seconds after which a silent updater counts as dead. */
  heartbeatTimeout: number;
}

/** Starts updates of the installation. */
export function createUpdateStart(dependencies: Dependencies) {
  const { engine, gate, store, look, lookAnew, holder, anyOpenRun, heartbeatTimeout } = dependencies;

  function runOpen({
    project_id,
    execution_id,
  }: {
    project_id: ProjectId;
    execution_id: ExecutionId;
  }): CalibronError {
    return new RunError(
      'project_busy',
      `Execution ${execution_id} of the project ${project_id} is running. Wait for all runs to end or cancel them, then start the update.`,
    );
  }

  /** Removes starts of runs that were interrupted. @throws project_busy if one is in progress, or has left an open run */
  async function clear(starts: readonly RunStart[]): Promise<void> {
    for (const start of starts) {
      const { project_id } = start;
      const open = await holder(project_id);
      if (open) throw runOpen({ project_id, execution_id: open.execution_id });
      if (!gate.isCutOff(start)) {
        throw new RunError(
          'project_busy',
          `A run of the project ${project_id} is being started. Wait for it to end, then start the update.`,
        );
      }
      await gate.forgetStart(start);
    }
  }

  /** @throws update_running, project_busy */
  async function takeGate(operationId: string): Promise<void> {
    for (;;) {
      const refused = await gate.take(operationId);
      if (!refused) return;
      if (refused.heldBy) throw anotherUpdate();
      await clear(refused.starts);
    }
  }

  /** State of the installation. If nothing can be installed, the remote is asked again, because a version may just have been released. */
  async function lookForUpdate(): Promise<Installation> {
    const installation = await look();
    return chooseUpdate(installation).plan ? installation : lookAnew();
  }

  /** @throws update_blocked, conflict if the installed version is not the expected one */
  function planOf(installation: Installation, expected: string | null): UpdatePlan {
    const current = currentVersion(installation);
    if (expected !== null && expected !== current) {
      throw new CalibronError(
        'conflict',
        `The installed version is ${current}. Look at the status again, then decide.`,
      );
    }
    const { plan, reason } = chooseUpdate(installation);
    if (!plan) throw new UpdateError('update_blocked', reason);
    return plan;
  }

  async function startUpdate({
    _id: operation_id,
    source_version,
    target_version,
  }: UpdateDocument): Promise<void> {
    // An update that has released the gate is about to close.
    await startOnceClosed(() =>
      withinDeadline(engine, () =>
        startWorkflow(engine, systemUpdate, {
          workflowId: SYSTEM_UPDATE_ID,
          taskQueue: SYSTEM_QUEUE,
          workflowIdConflictPolicy: 'FAIL',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          memo: { operation_id },
          staticSummary: `${source_version} to ${target_version}`,
          args: [{ operation_id, expected_target: target_version, heartbeat_timeout: heartbeatTimeout }],
        }),
      ),
    );
  }

  /**
   * Starts the update to the newest safe version.
   * @param expected the version that the caller believes is installed; null checks nothing
   * @throws update_running, project_busy naming an open run, update_blocked, conflict, updater_unavailable
   */
  return async function start(username: string, expected: string | null): Promise<UpdateDocument> {
    // While an update runs, its working tree is not meaningful.
    if (await gate.holder()) throw anotherUpdate();
    const { source_version, target_version } = planOf(await lookForUpdate(), expected);
    const now = new Date();
    const update: UpdateDocument = {
      _id: newId(),
      state: 'queued',
      stage: 'queued',
      source_version,
      target_version,
      message: 'Waiting for the updater.',
      log_tail: [],
      done: [],
      requested_by: username,
      started_at: now,
      updated_at: now,
      completed_at: null,
    };
    await takeGate(update._id);
    try {
      // Runs that start from here on see the gate; earlier ones are recorded already.
      const run = await anyOpenRun();
      if (run) throw runOpen(run);
      await store.insert(update);
      await startUpdate(update);
    } catch (thrown) {
      // For any other error it is unknown whether the engine has started it; the gate resolves that.
      const refused = thrown instanceof WorkflowExecutionAlreadyStartedError;
      if (refused || thrown instanceof CalibronError) {
        await store.remove(update._id);
        await gate.release(update._id);
      }
      throw refused ? anotherUpdate() : thrown;
    }
    return update;
  };
}

function anotherUpdate(): CalibronError {
  return new UpdateGateError('update_running', 'An update is running. Wait for it to end.');
}
