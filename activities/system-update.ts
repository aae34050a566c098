import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { chooseUpdate } from '../shared/domain/system-updates/rules.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import type { UpdateActivities } from './contracts/updates.ts';
import { createLogTail } from './system-update/log-tail.ts';
import { createUpdateSteps, failure, type SystemUpdateDependencies } from './system-update/steps.ts';
import { createWorkingTree } from './system-update/working-tree.ts';

/** Milliseconds between health checks, and time limit of one check. */
const HEALTH_INTERVAL = 1000;
const HEALTH_LOOK = 30_000;
/** Seconds added to our own limits for the engine's timeouts, so that our limits are reported first. */
const MARGIN = 60;

/** Activities of the updater. Each step of an update is identified by the update and its name, and done only once. */
export function createSystemUpdateActivities(dependencies: SystemUpdateDependencies): UpdateActivities {
  const { areas, updater, log, environment } = dependencies;
  const { store } = areas.systemUpdates;
  const gate = areas.updateGate;
  const { once, run } = createUpdateSteps(dependencies);
  const tree = createWorkingTree(updater.repository, {
    interval: updater.checkSeconds * 1000,
    signers: updater.tagSigners,
    complain(output) {
      const shown = createLogTail(environment);
      for (const line of output.split('\n')) shown.add(line);
      log.warn({ output: shown.lines() }, 'git failed');
    },
  });

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
