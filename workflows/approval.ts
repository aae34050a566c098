import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { ApprovalAnswer, ApprovalCommand } from '../shared/domain/flows/model.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { recordKeeping } from './policies.ts';
import type { RunController } from './run-control.ts';
import { approvalSignal } from './signals.ts';

/** Asks people, and waits for their answer, the deadline or a stop of the run. */
export function createApprovals(run: HeldRun, policy: RunPolicy, controller: RunController) {
  const answered = new Set<number>();
  setHandler(approvalSignal, ({ index }) => {
    answered.add(index);
  });

  return async (index: number, approval: ApprovalCommand): Promise<ApprovalAnswer | undefined> => {
    const records = recordKeeping(policy, `ask: ${approval.question.slice(0, 80)}`);
    await records.openApproval({ run, index, approval });
    await controller.waited(
      () => answered.has(index),
      approval.deadline_seconds * 1000,
      'deadline of the answer',
    );
    if (controller.current().stopping) return undefined;
    // The store decides between the answer that came last and the deadline.
    return CancellationScope.nonCancellable(() => records.settleApproval({ run, index }));
  };
}
