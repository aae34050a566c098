import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Installation } from '../shared/kernel/installation/installation.ts';

/**
 * Starts activities only if the run belongs to the installation of our store. The error is the same as that of a stopping
 * worker: the run's own workers retry the activity, and a measurement does not count as failed.
 */
export function installationInterceptor(
  installation: Pick<Installation, 'admit'>,
): ActivityInterceptorsFactory {
  return (context: Context): { inbound: ActivityInboundCallsInterceptor } => ({
    inbound: {
      async execute(input, next) {
        const { workflowExecution } = context.info;
        try {
          await installation.admit(workflowExecution?.runId ?? '');
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
