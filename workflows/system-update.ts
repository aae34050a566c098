import { CancellationScope, setCurrentDetails } from '@temporalio/workflow';
import type {
  Installation,
  SystemUpdateInput,
  UpdateMark,
  UpdatePlan,
} from '../shared/domain/system-updates/model.ts';
import type { InstallationLookInput } from '../shared/domain/system-updates/workflow-model.ts';
import { rootCauseOf } from './failures.ts';
import { lookingAtInstallation, updateNotes, updateStep } from './policies.ts';

/**
 * Updates the installation to a newer version, or restores the previous one if that fails. It cannot be cancelled, because half
 * an update is useless. Runs can start again when it has ended, successfully or not.
 */
export async function systemUpdate(input: SystemUpdateInput): Promise<{ state: UpdateMark['state'] }> {
  return CancellationScope.nonCancellable(() => update(input));
}

async function update(input: SystemUpdateInput): Promise<{ state: UpdateMark['state'] }> {
  const { operation_id, expected_target, heartbeat_timeout } = input;

  async function note(mark: UpdateMark): Promise<void> {
    setCurrentDetails(mark.message);
    await updateNotes(`note: ${mark.stage}`).noteUpdate({ operation_id, mark });
  }

  async function conclude(mark: UpdateMark): Promise<{ state: UpdateMark['state'] }> {
    setCurrentDetails(mark.message);
    await updateNotes(`end: ${mark.state}`).concludeUpdate({ operation_id, mark });
    return { state: mark.state };
  }

  await note({
    state: 'running',
    stage: 'preflight',
    message: 'Looking at the working tree and the remote.',
  });
  const looking = updateStep({ heartbeat_timeout, seconds: PREFLIGHT_SECONDS, summary: 'preflight' });
  let planned: Awaited<ReturnType<typeof looking.planUpdate>>;
  try {
    planned = await looking.planUpdate({ operation_id, expected_target });
  } catch (thrown) {
    return conclude({ state: 'failed', stage: 'failed', message: failureMessage(thrown) });
  }
  const { plan, stops, command_seconds, health_seconds } = planned;
  const { source_version, target_version } = plan;

  /** @param phase prefix of the step names, which a rollback repeats */
  function steps(phase: string) {
    const named = (name: string) => ({ operation_id, name: `${phase}${name}`, plan });
    const within = (name: string, seconds: number) =>
      updateStep({ heartbeat_timeout, seconds, summary: `${phase}${name}` });
    return {
      stop: () =>
        within('stopping', command_seconds).runUpdateCommand({ step: named('stopping'), command: 'stop' }),
      move: (direction: 'forward' | 'back') =>
        within(direction, command_seconds).moveWorkingTree({ step: named(direction), direction }),
      deploy: () =>
        within('deploying', command_seconds).runUpdateCommand({
          step: named('deploying'),
          command: 'deploy',
        }),
      check: () => within('health-check', health_seconds).checkHealth({ step: named('health-check') }),
    };
  }

  const onward = steps('');
  try {
    await note({ state: 'running', stage: 'stopping', message: 'Stopping the services.' });
    if (stops) await onward.stop();
    await note({ state: 'running', stage: 'fast-forward', message: `Fetching ${target_version}.` });
    await onward.move('forward');
    await note({ state: 'running', stage: 'deploying', message: `Deploying ${target_version}.` });
    await onward.deploy();
    await note({
      state: 'running',
      stage: 'health-check',
      message: `Waiting for ${target_version} to be healthy.`,
    });
    await onward.check();
  } catch (thrown) {
    const cause = failureMessage(thrown);
    const failed = `${target_version} could not be installed: ${cause}`;
    const message = `${failed} Going back to ${source_version}.`;
    await note({ state: 'rolling_back', stage: 'rollback', message });
    return conclude(await goBack(plan, failed));
  }
  return conclude({
    state: 'succeeded',
    stage: 'complete',
    message: `${target_version} is installed and healthy.`,
  });

  async function goBack({ source_version: version }: UpdatePlan, failed: string): Promise<UpdateMark> {
    const back = steps('rollback/');
    try {
      if (stops) await back.stop();
      await back.move('back');
      await back.deploy();
      await back.check();
    } catch (thrown) {
      const message = `${failed} Going back to ${version} failed too: ${failureMessage(thrown)} An operator has to see to it.`;
      return { state: 'failed', stage: 'rollback-failed', message };
    }
    return {
      state: 'rolled_back',
      stage: 'rolled-back',
      message: `${failed} ${version} is back and healthy.`,
    };
  }
}

/** The message that describes the state of the installation. */
export async function installationLook(input?: InstallationLookInput): Promise<Installation> {
  // An API of an earlier release gives no input.
  return lookingAtInstallation().lookAtInstallation(input ?? { fresh: false });
}

/** Timeout in seconds, long because the remote may be slow. */
const PREFLIGHT_SECONDS = 300;

function failureMessage(thrown: unknown): string {
  const cause = rootCauseOf(thrown);
  return cause instanceof Error ? cause.message : 'It failed for an unknown reason.';
}
