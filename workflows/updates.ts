import { defineUpdate } from '@temporalio/workflow';
import type { ApprovalStatus } from '../shared/domain/approvals/model.ts';
import type { RunControl } from '../shared/domain/runs/run-model.ts';
import { messageNames } from '../shared/kernel/engine/message-names.ts';

/** The same as the signals of these names, but validated first and answered. */
export const pauseUpdate = defineUpdate<RunControl, [unknown?]>(messageNames.pause);
export const resumeUpdate = defineUpdate<RunControl, [unknown?]>(messageNames.resume);
export const stopUpdate = defineUpdate<RunControl, [unknown?]>(messageNames.stopAfterCurrent);
/** Answers the run id of the other run's workflow. */
export const preemptUpdate = defineUpdate<{ flow_run_id: string }, [unknown?]>(messageNames.preempt);
export const approvalUpdate = defineUpdate<ApprovalStatus, [unknown?]>(messageNames.approval);
