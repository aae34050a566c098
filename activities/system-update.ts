import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import { chooseUpdate } from '../shared/domain/system-updates/rules.ts';
import type { UpdateSettings } from '../shared/domain/system-updates/settings.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { packageRoot } from '../shared/kernel/package-root.ts';
import type { UpdateActivities, UpdateStep } from './contracts/updates.ts';
import { type Command, runCommand } from './system-update/command.ts';
import { createLogTail, type LogTail } from './system-update/log-tail.ts';
import { createWorkingTree } from './system-update/working-tree.ts';

/** Milliseconds between health checks, and time limit of one check. */
const HEALTH_INTERVAL = 1000;
const HEALTH_LOOK = 30_000;
/** Milliseconds between writes of the log while a command prints. */
const LOG_INTERVAL = 1000;
/** Attempts to reach an unavailable store before a step counts as not done, and milliseconds between attempts. */
const STORE_TRIES = 10;
const STORE_INTERVAL = 1000;
/** Seconds added to our own limits for the engine's timeouts, so that our limits are reported first. */
const MARGIN = 60;

/** Settings of an updater, besides those of every process. */
export interface UpdaterSettings {
  repository: string;
  deploy: Command;
  health: Command;
  /** Null if the deploy command itself stops the services. */
  stop: Command | null;
  commandSeconds: number;
  healthSeconds: number;
  /** Seconds between requests to the remote. */
  checkSeconds: number;
  /** File with the SSH keys of allowed signers; null if tags need no signature. */
  tagSigners: string | null;
}

export interface SystemUpdateDependencies {
  areas: Pick<Areas, 'systemUpdates' | 'updateGate'>;
  updater: UpdaterSettings;
  log: Logger;
  /** Environment of the process. Its secrets are removed from logs. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** Reads the settings of an updater. @returns null and the name of the first missing setting, if any */
export function updaterSettings(
  settings: UpdateSettings,
): { updater: UpdaterSettings } | { missing: string } {
  const { UPDATE_DEPLOY_COMMAND: deploy, UPDATE_HEALTH_COMMAND: health } = settings;
  if (!deploy) return { missing: 'UPDATE_DEPLOY_COMMAND' };
  if (!health) return { missing: 'UPDATE_HEALTH_COMMAND' };
  return {
    updater: {
      repository: resolve(settings.UPDATE_REPOSITORY ?? fileURLToPath(packageRoot)),
      deploy,
      health,
      stop: settings.UPDATE_STOP_COMMAND ?? null,
      commandSeconds: settings.UPDATE_COMMAND_SECONDS,
      healthSeconds: settings.UPDATE_HEALTH_SECONDS,
      checkSeconds: settings.UPDATE_CHECK_SECONDS,
      tagSigners: settings.UPDATE_TAG_SIGNERS ? resolve(settings.UPDATE_TAG_SIGNERS) : null,
    },
  };
}

function failure(message: string, type: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, type);
}

/** Activities of the updater. Each step of an update is identified by the update and its name, and done only once. */
export function createSystemUpdateActivities(dependencies: SystemUpdateDependencies): UpdateActivities {
  const { areas, updater, log, environment } = dependencies;
  const { store } = areas.systemUpdates;
  const gate = areas.updateGate;
  const tree = createWorkingTree(updater.repository, {
    interval: updater.checkSeconds * 1000,
    signers: updater.tagSigners,
    complain(output) {
      const shown = createLogTail(environment);
      for (const line of output.split('\n')) shown.add(line);
      log.warn({ output: shown.lines() }, 'git failed');
    },
  });

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

  return {
    /** State of the installation. @throws WorkingTreeUnreadable */
    lookAtInstallation: ({ fresh }) => tree.look({ fresh }),

    /** Checks again that the update is allowed, with a new request to the remote. @throws UpdateBlocked */
    async planUpdate({ operation_id, expected_target }) {
      const installation = await tree.lookAnew();
      if (!(await gate.isHeldBy(operation_id))) {
        throw failure('The update began too late: runs may have started since.', failureTypes.updateBlocked);
      }
      const newer = installation.newer.slice(
        0,
        installation.newer.findIndex(({ version }) => version === expected_target) + 1,
      );
      const { plan, reason } = chooseUpdate({ ...installation, newer });
      if (!plan) throw failure(reason, failureTypes.updateBlocked);
      if (plan.target_version !== expected_target) {
        throw failure(`${expected_target} cannot be installed any more.`, failureTypes.updateBlocked);
      }
      const inTheWay = await tree.inTheWay(plan.target_commit);
      if (inTheWay !== null) {
        throw failure(
          `${inTheWay} is in the way: ${expected_target} brings a file of that name. Move it first.`,
          failureTypes.updateBlocked,
        );
      }
      return {
        plan,
        stops: updater.stop !== null,
        command_seconds: updater.commandSeconds + MARGIN,
        health_seconds: updater.healthSeconds + MARGIN,
      };
    },

    async noteUpdate({ operation_id, mark }) {
      await store.mark(operation_id, mark);
    },

    /** Runs the command that stops the services, or the one that deploys the working tree. @throws CommandFailed */
    async runUpdateCommand({ step, command }) {
      await once(step, async (tail) => {
        const asked = command === 'deploy' ? updater.deploy : updater.stop;
        if (!asked) return;
        tail.add(`[${step.name}] ${asked[0]}`);
        const ended = await run(asked, step, tail, updater.commandSeconds * 1000);
        if (ended !== null) throw failure(`The ${command} command ${ended}.`, failureTypes.command);
      });
    },

    /** Moves the working tree to the version, forward or back. */
    async moveWorkingTree({ step, direction }) {
      await once(step, async (tail) => {
        const { source_commit, source_version, target_commit, target_version } = step.plan;
        const again = Context.current().info.attempt > 1;
        tail.add(`[${step.name}] ${direction === 'forward' ? target_version : source_version}`);
        try {
          if (direction === 'forward') await tree.forward(target_commit, again);
          else await tree.back(source_commit);
        } catch {
          // A git process that has outlived its updater may lock the tree for a moment, so this step is retried.
          throw new Error('git could not bring the working tree to the version.');
        }
      });
    },

    /** Waits until the health command succeeds. @throws CommandFailed if it does not succeed before the time limit */
    async checkHealth({ step }) {
      await once(step, async (tail) => {
        const deadline = performance.now() + updater.healthSeconds * 1000;
        for (;;) {
          // Of many failed checks, only the output of the last one is kept.
          const look = createLogTail(environment);
          const ended = await run(updater.health, step, look, HEALTH_LOOK);
          if (ended === null) {
            tail.add(`[${step.name}] healthy`);
            return;
          }
          if (performance.now() + HEALTH_INTERVAL > deadline) {
            for (const line of look.lines()) tail.add(line);
            throw failure(
              `It was not healthy after ${updater.healthSeconds} s: the health command ${ended}.`,
              failureTypes.command,
            );
          }
          await wait(HEALTH_INTERVAL, undefined, { signal: Context.current().cancellationSignal });
        }
      });
    },

    /** Records the end of the update and allows runs to start again. */
    async concludeUpdate({ operation_id, mark }) {
      // Release the gate first: a user who sees the end of the update must be able to start a run.
      await gate.release(operation_id);
      await store.mark(operation_id, mark, new Date());
      log.info({ operation_id, ...mark }, 'update ended');
    },
  };
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
