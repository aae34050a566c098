import { isGrpcServiceError } from '@temporalio/client';
import type { Engine } from '../shared/kernel/engine/temporal.ts';

/** What `promote` cannot do, in a sentence for whoever asked. */
export class NotPromoted extends Error {
  override readonly name = 'NotPromoted';
}

const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/**
 * Makes a version the current one of its deployment: it begins all runs from here on, and takes over those that are not
 * pinned. Asked for by an operator alone; a worker that did it when it starts would undo a rollback.
 * @throws NotPromoted when no worker of that version has ever asked for work, or it does not serve all queues
 */
export async function promote(
  { connection, namespace }: Pick<Engine, 'connection' | 'namespace'>,
  { deploymentName, buildId }: { deploymentName: string; buildId: string },
  identity: string,
): Promise<{ before: string | null }> {
  try {
    const { previousDeploymentVersion } = await connection.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName,
      buildId,
      identity,
    });
    return { before: previousDeploymentVersion?.buildId ?? null };
  } catch (thrown) {
    if (!isGrpcServiceError(thrown) || ![NOT_FOUND, FAILED_PRECONDITION].includes(thrown.code)) throw thrown;
    throw new NotPromoted(
      `Version ${buildId} of ${deploymentName} cannot become the current one: ${thrown.details}. ` +
        'Start its workers first, for all queues that the current version serves.',
    );
  }
}
