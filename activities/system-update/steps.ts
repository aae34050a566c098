import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../../shared/domain/areas.ts';
import { failureTypes } from '../../shared/kernel/engine/failure-types.ts';
import type { Logger } from '../../shared/kernel/log.ts';
import type { UpdateStep } from '../contracts/updates.ts';
import { type Command, runCommand } from './command.ts';
import { createLogTail, type LogTail } from './log-tail.ts';
import type { UpdaterSettings } from './updater-settings.ts';

/** Milliseconds between writes of the log while a command prints. */
const LOG_INTERVAL = 1000;

/** Attempts to reach an unavailable store before a step counts as not done, and milliseconds between attempts. */
const STORE_TRIES = 10;
const STORE_INTERVAL = 1000;

/** An error that ends an update. */
export function failure(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}

/** Environment variables for a command. */
function stepEnvironment({ operation_id, name, plan }: UpdateStep): Record<string, string> {
  return {
    UPDATE_OPERATION_ID: operation_id,
    UPDATE_STEP: name,
    UPDATE_SOURCE_VERSION: plan.source_version,
    UPDATE_TARGET_VERSION: plan.target_version,
  };
}

export interface SystemUpdateDependencies {
  areas: Pick<Areas, 'systemUpdates' | 'updateGate'>;
  updater: UpdaterSettings;
  log: Logger;
  /** Environment of the process. Its secrets are removed from logs. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Carries out the steps of an update, each of them once. */
export function createUpdateSteps({ areas, updater, log, environment }: SystemUpdateDependencies) {
  const { store } = areas.systemUpdates;

  /** Completes a step unless an earlier attempt has done so, and stores its output. */
  async function once(step: UpdateStep, work: (tail: LogTail) => Promise<void>): Promise<void> {
    const update = await store.get(step.operation_id);
    if (!update || update.completed_at !== null) {
      throw failure('This update has ended.', failureTypes.updateBlocked);
    }
    if (update.done.includes(step.name)) return;
    const tail = createLogTail(environment, update.log_tail);
    let written = tail.lines().length;
    const write = async () => {
      written = tail.lines().length;
      await store.noteLog(step.operation_id, tail.lines());
    };
    // A deploy may make the store unavailable for a moment. That loses log lines, but does not fail the step.
    const writing = setInterval(() => {
      write().catch((thrown) =>
        log.warn({ error: String(thrown), written }, 'log of the update not written'),
      );
    }, LOG_INTERVAL);
    try {
      await work(tail);
    } finally {
      clearInterval(writing);
      await write().catch((thrown) => log.warn({ error: String(thrown) }, 'log of the update not written'));
    }
    await noteDone(step);
  }

  /** Records that a step is done. Waits for the store, which may be unavailable for a while after a deploy. */
  async function noteDone(step: UpdateStep): Promise<void> {
    for (let left = STORE_TRIES; ; left -= 1) {
      try {
        return await store.noteDone(step.operation_id, step.name);
      } catch (thrown) {
        if (left === 0) throw thrown;
        await wait(STORE_INTERVAL, undefined, { signal: Context.current().cancellationSignal });
      }
    }
  }

  /** Runs a command of a step. @returns how it failed; null if it succeeded */
  async function run(
    command: Command,
    step: UpdateStep,
    tail: LogTail,
    limit: number,
  ): Promise<string | null> {
    const signal = Context.current().cancellationSignal;
    const ended = await runCommand(command, {
      directory: updater.repository,
      environment: stepEnvironment(step),
      limit,
      signal,
      line: tail.add,
    });
    // The updater is stopping: the next updater retries.
    if (signal.aborted) throw new Error('The updater was stopped.');
    return ended;
  }

  return { once, run };
}
