import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { LockStore } from '../../shared/domain/runs/index.ts';
import { isStoreUnavailable } from '../../shared/kernel/database.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { createAttemptQueue } from './attempt-queue.ts';
import { type MeasureRequest, measureRequest, readMeasureResult } from './backend.ts';
import { type Heartbeats, keepHeartbeats } from './heartbeats.ts';

/** Milliseconds between two tries to read the lock while the store is away. */
const LOCK_RETRY = 1000;

/** Milliseconds between two signs of life while store or instrument are waited for. */
const WAITING_HEARTBEAT = 500;

/** Milliseconds, for a caller that sets none; our workflows always do. */
const DEFAULT_HEARTBEAT_TIMEOUT = 10_000;

/** A backend that runs inside our own worker. */
export interface LocalBackend {
  measure(request: MeasureRequest, control: { signal: AbortSignal; heartbeat(): void }): Promise<unknown>;
}

/**
 * The `measure` activity of a backend inside our worker: checks that the run still holds its project (a Reset in
 * the engine's UI may repeat this very step) and that the engine waits for this attempt (a request may arrive after it
 * went to another worker), lets the backend measure, and says how it ended. It stops the backend when the engine may
 * believe it dead.
 *
 * @throws ApplicationFailure `MeasurementError` with the backend's sentence; `Fenced`; `WorkerShutdown`, on which
 * the workflow repeats the measurement.
 */
export function createMeasureActivity(backend: LocalBackend, locks: Pick<LockStore, 'get'>) {
  const inTurn = createAttemptQueue();

  async function checkHolder(request: MeasureRequest, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const lock = await locks.get(request.project_id);
        if (
          lock?.epoch === request.epoch &&
          lock.state === 'held' &&
          lock.execution_id === request.execution_id
        )
          return;
        throw ApplicationFailure.nonRetryable(
          `Execution ${request.execution_id} does not hold the project any more; nothing was measured.`,
          failureTypes.fenced,
        );
      } catch (thrown) {
        if (!isStoreUnavailable(thrown)) throw thrown;
        // Measuring without knowing the holder is not safe, giving up is not needed.
        await wait(LOCK_RETRY, undefined, { signal });
      }
    }
  }

  return async function measure(input: MeasureRequest): Promise<unknown> {
    const context = Context.current();
    const asked = measureRequest.parse(input);
    const heartbeats = heartbeatsOf(context);
    // Until the instrument is asked, which shows its own sign of life.
    const waiting = setInterval(heartbeats.alive, WAITING_HEARTBEAT);
    try {
      return await inTurn(asked.task_id, async (stop) => {
        const signal = AbortSignal.any([context.cancellationSignal, stop, heartbeats.letGo]);
        await Promise.all([checkHolder(asked, signal), heartbeats.wanted(signal)]);
        clearInterval(waiting);
        const started = new Date();
        const request = {
          ...asked,
          deadline: new Date(started.getTime() + asked.timeout * 1000).toISOString(),
        };
        const result = await backend.measure(request, { signal, heartbeat: heartbeats.alive });
        // Checked before it travels: JSON would turn a NaN into a point that was not measured.
        const answer = readMeasureResult(result);
        if (typeof answer === 'string') throw new Error(answer);
        return { started_at: started.toISOString(), ...answer };
      });
    } catch (thrown) {
      if (heartbeats.letGo.aborted) {
        await heartbeats.mayEnd(context.cancellationSignal);
        throw heartbeats.letGo.reason;
      }
      if (thrown instanceof ApplicationFailure) throw thrown;
      if (context.cancellationSignal.aborted) {
        if (context.cancellationDetails?.workerShutdown) {
          throw ApplicationFailure.nonRetryable('The worker is stopping.', failureTypes.workerShutdown);
        }
        throw new CancelledFailure('the measurement was stopped');
      }
      throw ApplicationFailure.nonRetryable(messageOf(thrown), failureTypes.measurement);
    } finally {
      clearInterval(waiting);
      heartbeats.end();
    }
  };
}

function heartbeatsOf(context: Context): Heartbeats {
  const { client, info } = context;
  return keepHeartbeats({
    timeout: info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_TIMEOUT,
    send: (deadline) =>
      client.withDeadline(Date.now() + deadline, () => client.activity.heartbeat(info.taskToken)),
    onNews: () => context.heartbeat(),
  });
}
