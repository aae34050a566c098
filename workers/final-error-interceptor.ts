import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { asOutOfSpace } from '../activities/out-of-space.ts';
import { isUnstorable } from '../shared/kernel/database.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { messageOf } from '../shared/kernel/errors.ts';

/**
 * Makes permanent errors non-retryable. Record keeping is retried without limit. For a value that the store cannot hold,
 * it would be retried forever, and the run would keep its project locked. An error of a full disk is named as such, and retried.
 */
export function finalErrorInterceptor(): { inbound: ActivityInboundCallsInterceptor } {
  return {
    inbound: {
      async execute(input, next) {
        try {
          return await next(input);
        } catch (thrown) {
          const shortage = asOutOfSpace(thrown);
          if (shortage) throw shortage;
          if (!isUnstorable(thrown)) throw thrown;
          const message = `Something of this run cannot be stored: ${messageOf(thrown)}.`.replace(
            /\.+$/,
            '.',
          );
          throw ApplicationFailure.nonRetryable(message, failureTypes.encoding);
        }
      },
    },
  };
}
