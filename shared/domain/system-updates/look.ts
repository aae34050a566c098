import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../kernel/engine/failure-types.ts';
import { type Engine, isEngineUnavailable, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { SYSTEM_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { UpdateError } from './errors.ts';
import type { Installation } from './model.ts';
import {
  FRESH_LOOK_ID,
  INSTALLATION_LOOK_ID,
  type InstallationLookInput,
  installationLook,
} from './workflow-model.ts';

/** Milliseconds that the updater has to answer; querying the remote takes most of them. */
const PATIENCE = 15_000;

/**
 * Asks the updater for the state of the installation. Concurrent callers share its answer.
 * @param asked.fresh whether the remote is asked even if its last answer is recent
 * @throws updater_unavailable if it does not answer or cannot read the working tree
 */
export async function lookAtInstallation(
  engine: Engine,
  asked: InstallationLookInput,
): Promise<Installation> {
  const handle = await withinDeadline(engine, () =>
    startWorkflow(engine, installationLook, {
      workflowId: asked.fresh ? FRESH_LOOK_ID : INSTALLATION_LOOK_ID,
      args: [asked],
      taskQueue: SYSTEM_QUEUE,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowExecutionTimeout: PATIENCE,
      staticSummary: 'State of the installation and available versions',
    }),
  );
  try {
    return await engine.connection.withDeadline(Date.now() + PATIENCE, () => handle.result());
  } catch (thrown) {
    if (!(thrown instanceof WorkflowFailedError) && !isEngineUnavailable(thrown)) throw thrown;
    throw new UpdateError('updater_unavailable', whyNot(thrown), { retryAfter: 10, cause: thrown });
  }
}

function whyNot(thrown: unknown): string {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof ApplicationFailure && error.type === failureTypes.workingTree) return error.message;
  }
  return 'The updater does not answer. Ask again later; an operator can see whether its process runs.';
}
