import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { answerOfApproval } from '../shared/domain/approvals/rules.ts';
import type { Areas } from '../shared/domain/areas.ts';
import { flowRunIdOf } from '../shared/domain/executions/id-rules.ts';
import { newExecution } from '../shared/domain/executions/index.ts';
import { isEndStatus, type Waiting } from '../shared/domain/executions/status-rules.ts';
import { isSameRun, type ServerTime, serverTimeFrom } from '../shared/domain/runs/index.ts';
import { updateRunning } from '../shared/domain/update-gate/index.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { activityPollers } from '../shared/kernel/engine/pollers.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { backendQueue } from '../shared/kernel/engine/workflow-ids.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import { executionIdSchema, keyOf } from '../shared/kernel/ids.ts';
import type { Logger } from '../shared/kernel/log.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import type { BeginInput, CalibrationActivities, LocalActivities } from './contracts/runs.ts';
import { missingTask } from './missing-task.ts';
import { outOfSpace } from './out-of-space.ts';
import type { FigureDrawing } from './record/figure-drawing.ts';

/** Milliseconds between checks of a previous holder that has not left the chip yet. */
const HOLDER_POLL = 500;

/** Milliseconds between checks for values that are being changed by hand. */
const LEASE_POLL = 50;

export interface ExecutionActivityDependencies {
  areas: Pick<
    Areas,
    'aiReviews' | 'backends' | 'executions' | 'results' | 'approvals' | 'runs' | 'updateGate' | 'diskSpace'
  >;
  engine: Engine;
  figures: Pick<FigureDrawing, 'endRun'>;
  findTask(name: string): TaskDefinition | undefined;
  log: Pick<Logger, 'warn'>;
}

function notStartable(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.notStartable);
}

/** Activities that start and end a run: lock projection, execution record, closing. */
export function createExecutionActivities(
  dependencies: ExecutionActivityDependencies,
): Pick<LocalActivities, 'beginLocally'> &
  Pick<
    CalibrationActivities,
    | 'begin'
    | 'finalize'
    | 'awaitSpace'
    | 'awaitTask'
    | 'backendPresence'
    | 'lendChip'
    | 'notePreempted'
    | 'noteControl'
    | 'noteWaiting'
    | 'openApproval'
    | 'answerApproval'
    | 'settleApproval'
  > {
  const { areas, engine, figures, findTask, log } = dependencies;
  const { results, approvals, backends, updateGate } = areas;
  const { store: executions, commands } = areas.executions;
  const { locks, leases, closer, chipGuard, holder } = areas.runs;

  /**
   * Creates or adopts the execution.
   * @returns a function that takes the next epoch of the lock. It returns a pause in milliseconds instead if the previous
   *   holder has not left the chip, or if values are being changed by hand
   */
  async function enter(
    input: BeginInput,
    serverTime: ServerTime | null,
  ): Promise<() => Promise<{ epoch: number } | { pause: number }>> {
    const { run, flow_run_id } = input;
    const { project_id, execution_id } = run;
    const request = await executions.request(project_id, execution_id);
    if (!request) throw notStartable(`Execution ${execution_id} was never requested.`);
    const stored = await executions.insert(
      newExecution(run, {
        flow_run_id,
        at: new Date(),
        origin: request.origin,
      }),
    );
    if (flowRunIdOf(stored) !== flow_run_id) {
      throw notStartable(`The execution id ${execution_id} belongs to another run.`);
    }
    if (isEndStatus(stored.status)) {
      throw notStartable(
        `Execution ${execution_id} has ended (${stored.status}). Start a new run instead of resetting it.`,
      );
    }
    let waiting: Waiting | null = stored.waiting ?? null;
    const isQuiet = chipGuard.watch(serverTime);
    const begun = async (epoch: number) => {
      if (waiting?.kind === 'previous_run') await executions.noteWaiting(project_id, execution_id, null);
      await executions.adopt(project_id, execution_id, flow_run_id, new Date());
      const retryOf = request.origin?.['retry_of'];
      if (retryOf) await executions.noteRetry(project_id, executionIdSchema.parse(retryOf), execution_id);
      return { epoch };
    };

    const waitFor = async (what: string) => {
      if (!waiting) {
        waiting = { for: what, kind: 'previous_run', since: new Date().toISOString() };
        await executions.noteWaiting(project_id, execution_id, waiting);
      }
      return { pause: HOLDER_POLL };
    };

    return async () => {
      // Any lease or update from now on sees this run, because the engine lists it and its execution is recorded.
      const [lock, open, leased, update] = await Promise.all([
        locks.get(project_id),
        holder(project_id),
        leases.areHeld(project_id),
        updateGate.holder(),
      ]);
      const isLent = lock !== null && Boolean(lock.lent_to);
      if (lock && isSameRun(lock, input) && !isLent) return begun(lock.epoch);
      // Only the run that is open in the engine may take the lock, not a late activity of a dead run.
      if (run.preempts === undefined) {
        if (!isSameRun(open, input)) throw notStartable('Another run holds the project.');
      } else {
        if (open?.execution_id !== run.preempts) throw notStartable('The run that it preempted has ended.');
        if (lock?.lent_to !== execution_id)
          return waitFor(`execution ${run.preempts} to end what it measures`);
      }
      if (lock && lock.state !== 'free') {
        if (!(await isQuiet(lock))) return waitFor(`execution ${lock.execution_id} to leave the chip`);
        // A record step in progress at the end of the old run may have opened a task after the run was closed.
        await results.closeOpen(project_id, lock.execution_id, 'cancelled', new Date());
      }
      // A manual edit that started before this run took the lock is short: wait for it.
      if (leased) return { pause: LEASE_POLL };
      // This run started after the gate was closed.
      if (update) throw notStartable(updateRunning(update).message);
      const heartbeat_timeout = await backends.longestHeartbeatTimeout(run.backend);
      // A run that takes the chip back goes on with a stage that began before.
      const stages = input.again ? (await commands.newestIndex(project_id, execution_id)) + 1 : 0;
      const terms = { heartbeat_timeout, stages };
      const epoch = await locks.take(project_id, lock, { execution_id, flow_run_id }, terms);
      return epoch === null ? { pause: 0 } : begun(epoch);
    };
  }

  return {
    /**
     * Creates or adopts the execution, waits until the previous holder has left the chip, and takes the lock's next epoch.
     * Safe to run twice: the current holder gets its epoch again. A run that has lent the chip takes it back in the same way.
     * @throws ExecutionNotStartable if the execution has ended, its id belongs to another run, or a system update is running
     */
    async begin(input) {
      const take = await enter(input, serverTimeFrom(Context.current().info.scheduledTimestampMs));
      for (;;) {
        const taken = await take();
        if ('epoch' in taken) return taken;
        await wait(taken.pause, undefined, { signal: Context.current().cancellationSignal });
      }
    },

    async beginLocally(input) {
      const take = await enter(input, null);
      const taken = await take();
      return 'epoch' in taken ? taken : null;
    },

    /**
     * Closes open tasks and the execution, snapshots the chip, and frees the stored lock when the chip is quiet. Retried
     * until it succeeds.
     */
    async finalize({ run, end }) {
      await closer.close(run, end);
      figures.endRun(run);
      // A failure to start reviews must not keep the run from ending.
      await areas.aiReviews
        .afterRun(run)
        .catch((thrown: unknown) =>
          log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'results not reviewed'),
        );
    },

    /** Lets another run use the chip. This one may not write until it has begun again. */
    async lendChip({ run, to }) {
      await locks.lend(run, to);
    },

    async notePreempted({ run, preempted }) {
      await executions.notePreempted(run.project_id, run.execution_id, preempted);
    },

    async noteControl({ run, control }) {
      await executions.noteControl(run.project_id, run.execution_id, control);
    },

    async noteWaiting({ run, waiting }) {
      await executions.noteWaiting(run.project_id, run.execution_id, waiting);
    },

    /** Shows a flow's question to users. The deadline counts from the first call. */
    async openApproval({ run, index, approval }) {
      const execution = await executions.get(run.project_id, run.execution_id);
      const at = new Date();
      await approvals.open({
        _id: keyOf(run.project_id, run.execution_id, index),
        project_id: run.project_id,
        execution_id: run.execution_id,
        index,
        flow_run_id: execution ? flowRunIdOf(execution) : '',
        ...(run.preempts !== undefined && { preempts: run.preempts }),
        question: approval.question,
        options: approval.options,
        default: approval.default,
        deadline: new Date(at.getTime() + approval.deadline_seconds * 1000),
        status: 'pending',
        answer: null,
        answered_by: null,
        answered_at: null,
        created_at: at,
      });
    },

    /**
     * Accepts an answer if it is the first and before the deadline, or checks for an accepted one.
     * @returns the question's status
     */
    async answerApproval({ run, index, reply }) {
      const { project_id, execution_id } = run;
      const asked = await approvals.get(project_id, execution_id, index);
      if (!asked) throw notStartable(`Command ${index} asked nothing.`);
      const at = new Date();
      if (reply && at < asked.deadline) {
        const { answer, by } = reply;
        await approvals.settle(asked, { status: 'answered', answer, answered_by: by, answered_at: at });
      }
      return ((await approvals.get(project_id, execution_id, index)) ?? asked).status;
    },

    /** Closes a question with its answer, or with its default if there is none. */
    async settleApproval({ run, index }) {
      const asked = await approvals.get(run.project_id, run.execution_id, index);
      if (!asked) throw notStartable(`Command ${index} asked nothing.`);
      const expired = await approvals.settle(asked, {
        status: 'expired',
        answer: asked.default,
        answered_by: null,
        answered_at: new Date(),
      });
      const settled = expired ?? (await approvals.get(run.project_id, run.execution_id, index));
      return answerOfApproval(settled ?? asked);
    },

    /** @throws OutOfSpace, after which it is retried */
    async awaitSpace() {
      const shortage = await areas.diskSpace.shortage();
      if (shortage !== null) throw outOfSpace(shortage);
    },

    /** @throws MissingTask, after which it is retried, possibly by a worker of another release */
    async awaitTask({ name, run_parameters = [], declared }) {
      if (declared) {
        const { backend, declaration } = declared;
        if (!(await backends.pinnedTask(backend, name, declaration)))
          throw missingTask({ name, declaration });
        return;
      }
      const definition = findTask(name);
      if (!definition) throw missingTask({ name });
      const missing = run_parameters.filter((each) => !Object.hasOwn(definition.runParameters, each));
      if (missing.length > 0) throw missingTask({ name, run_parameters: missing });
    },

    /** Number of workers that currently poll for measurements of a backend. */
    async backendPresence({ backend }) {
      return { workers: (await activityPollers(engine, backendQueue(backend))).length };
    },
  };
}
