import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Areas } from '../shared/domain/areas.ts';
import { flowRunIdOf } from '../shared/domain/executions/id-rules.ts';
import { newExecution } from '../shared/domain/executions/index.ts';
import { isEndStatus, type Waiting } from '../shared/domain/executions/status-rules.ts';
import { isSameRun, type ServerTime, serverTimeFrom } from '../shared/domain/runs/index.ts';
import { updateRunning } from '../shared/domain/update-gate/index.ts';
import { executionIdSchema } from '../shared/kernel/ids.ts';
import type { BeginInput, CalibrationActivities, LocalActivities } from './contracts/runs.ts';
import { notStartable } from './not-startable.ts';

/** Milliseconds between checks of a previous holder that has not left the chip yet. */
const HOLDER_POLL = 500;

/** Milliseconds between checks for values that are being changed by hand. */
const LEASE_POLL = 50;

/** The start of a run: adopts its execution and takes the lock. */
export function createBeginActivities(
  areas: Pick<Areas, 'backends' | 'executions' | 'results' | 'runs' | 'updateGate'>,
): Pick<LocalActivities, 'beginLocally'> & Pick<CalibrationActivities, 'begin'> {
  const { results, backends, updateGate } = areas;
  const { store: executions, commands } = areas.executions;
  const { locks, leases, chipGuard, holder } = areas.runs;

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
  };
}
