import { ActivityFailure, ApplicationFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { AnalyseActivity, OwnAnalysisActivities } from '../activities/contracts/own-analysis.ts';
import { backendErrorMessage } from '../shared/domain/backends/answer-rules.ts';
import type { OwnAnalysisAnswer, OwnAnalysisInput } from '../shared/domain/reanalysis/workflow-model.ts';
import { backendQueue } from '../shared/kernel/engine/workflow-ids.ts';

/** Types of the failures with which the SDKs refuse an activity that a worker does not have. */
const NOT_REGISTERED: readonly (string | undefined | null)[] = [
  'NotFoundError',
  'ActivityNotRegisteredError',
  'ActivityNotRegistered',
];

const { readOwnAnalysis } = proxyActivities<OwnAnalysisActivities>({
  startToCloseTimeout: '10s',
  retry: { maximumAttempts: 2 },
  summary: 'read the answer',
});

/** Has a worker of a backend analyse stored data. A caller waits for the answer, so nothing is tried again. */
export async function ownAnalysis({
  backend,
  request,
  outputs,
}: OwnAnalysisInput): Promise<OwnAnalysisAnswer> {
  const { analyse } = proxyActivities<AnalyseActivity>({
    taskQueue: backendQueue(backend),
    scheduleToStartTimeout: '15s',
    startToCloseTimeout: '45s',
    retry: { maximumAttempts: 1 },
    summary: `analyse ${request.task_name} ${request.target} again`,
  });
  try {
    return await readOwnAnalysis({ outputs, answer: await analyse(request) });
  } catch (thrown) {
    return refusal(thrown);
  }
}

function refusal(thrown: unknown): OwnAnalysisAnswer {
  if (!(thrown instanceof ActivityFailure)) throw thrown;
  const { cause } = thrown;
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'SCHEDULE_TO_START') return { unserved: 'no_worker' };
    return { problem: 'The analysis took longer than 45 s.' };
  }
  if (!(cause instanceof ApplicationFailure)) throw thrown;
  if (NOT_REGISTERED.includes(cause.type)) return { unserved: 'no_activity' };
  return { problem: backendErrorMessage(cause.message) };
}
