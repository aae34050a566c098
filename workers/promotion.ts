import { isGrpcServiceError } from '@temporalio/client';
import type { Engine } from '../shared/kernel/engine/temporal.ts';

/** The promotion failed; the message is for the operator. */
export class NotPromoted extends Error {
  override readonly name = 'NotPromoted';
}

const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

/**
 * Makes a version the current one of its deployment: it starts all new runs and takes over runs that are not pinned. Only
 * an operator does this. If workers did it at startup, they would undo a rollback.
 * @throws NotPromoted if no worker of that version has ever polled, or if the version does not serve all queues
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
