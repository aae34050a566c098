import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { isBackendQueue } from '../shared/kernel/engine/workflow-ids.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Installation } from '../shared/kernel/installation/installation.ts';

/**
 * Starts activities only if the run belongs to the installation of our store. The error is the same as that of a stopping
 * worker: the run's own workers retry the activity, and a measurement does not count as failed.
 */
export function installationInterceptor(
  installation: Pick<Installation, 'admit' | 'admitMeasurement'>,
): ActivityInterceptorsFactory {
  return (context: Context): { inbound: ActivityInboundCallsInterceptor } => ({
    inbound: {
      async execute(input, next) {
        const { workflowExecution, taskQueue } = context.info;
        const runId = workflowExecution?.runId ?? '';
        try {
          if (isBackendQueue(taskQueue)) await installation.admitMeasurement(runId);
          else await installation.admit(runId);
        } catch (thrown) {
          throw ApplicationFailure.create({
            type: failureTypes.workerShutdown,
            message: messageOf(thrown),
            nonRetryable: false,
          });
        }
        return next(input);
      },
    },
  });
}
