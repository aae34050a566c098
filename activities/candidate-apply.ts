import { ApplicationFailure } from '@temporalio/common';
import type { ApplyInput } from '../shared/domain/agent-sessions/apply-model.ts';
import { type AgentSessions, ApplyOver } from '../shared/domain/agent-sessions/index.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { CalibronError, isError } from '../shared/kernel/errors.ts';
import type { ApplyActivities } from './contracts/apply.ts';

/** Activities that apply an agent's commit to the backend's files. */
export function createApplyActivities({
  agentSessions,
}: {
  agentSessions: Pick<AgentSessions, 'applySteps'>;
}): ApplyActivities {
  const steps = agentSessions.applySteps;

  /** Makes refusals non-retryable, with the message of the error. Other errors are retried. */
  async function step(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (thrown instanceof ApplyOver)
        throw ApplicationFailure.nonRetryable(thrown.message, failureTypes.notStartable);
      if (thrown instanceof CalibronError && !isError(thrown, 'engine_unavailable'))
        throw ApplicationFailure.nonRetryable(thrown.message, failureTypes.notApplied);
      throw thrown;
    }
  }

  return {
    beginApply: (input: ApplyInput) =>
      step(async () => {
        if (!(await steps.begin(input)))
          throw new Error('Another apply is changing the files at the moment.');
      }),
    pullForApply: (input: ApplyInput) => step(() => steps.pull(input)),
    writeApply: (input: ApplyInput) => step(() => steps.write(input)),
    versionApply: (input: ApplyInput) => step(() => steps.version(input)),
    finishApply: (input: ApplyInput) => steps.finish(input),
    failApply: ({ reason, ...input }) => steps.fail(input, reason),
  };
}
