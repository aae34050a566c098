import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { ApplyInput } from '../shared/domain/agent-sessions/apply-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { rootCauseOf } from './failures.ts';
import { applyEnding, applyStep, applyTurn } from './policies.ts';

/**
 * Writes one committed value into its parameter file, reads it back and versions it. If any step fails, the file is restored.
 */
export async function candidateApply(input: ApplyInput): Promise<void> {
  const scope = CancellationScope.current();
  try {
    setCurrentDetails('Waiting for other applies to leave the files.');
    await applyTurn().beginApply(input);
    if (input.push) {
      setCurrentDetails('Pulling the configuration.');
      await applyStep('pull the configuration').pullForApply(input);
    }
    setCurrentDetails('Writing the file.');
    await applyStep('write the file and read it back').writeApply(input);
    setCurrentDetails('Making a version of the file.');
    await applyStep('version the file').versionApply(input);
  } catch (thrown) {
    const reason =
      scope.consideredCancelled || isCancellation(thrown) ? 'The apply was cancelled.' : reasonOf(thrown);
    await CancellationScope.nonCancellable(() =>
      applyEnding('put the file back').failApply({ ...input, reason }),
    );
    setCurrentDetails(reason);
    throw ApplicationFailure.create({
      message: reason,
      type: failureTypes.notApplied,
      nonRetryable: true,
    });
  }
  await CancellationScope.nonCancellable(() => applyEnding('close the apply').finishApply(input));
  setCurrentDetails('The value is in the file.');
}

function reasonOf(thrown: unknown): string {
  const cause = rootCauseOf(thrown);
  // The message of any other error may contain paths of this machine.
  if (cause instanceof ApplicationFailure && cause.type === failureTypes.notApplied) return cause.message;
  return 'The file could not be changed; the history of the workflow tells why.';
}
