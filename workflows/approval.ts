import { HandlerUnfinishedPolicy } from '@temporalio/common';
import { CancellationScope, condition, isCancellation, log, setHandler } from '@temporalio/workflow';
import type { ApprovalReply } from '../activities/contracts/runs.ts';
import type { ApprovalStatus } from '../shared/domain/approvals/model.ts';
import type { ApprovalAnswer, ApprovalCommand } from '../shared/domain/flows/model.ts';
import type { HeldRun, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { replyOf } from './message-input.ts';
import { recordKeeping } from './policies.ts';
import type { RunController } from './run-control.ts';
import { refusal } from './run-requests.ts';
import { approvalSignal } from './signals.ts';
import { approvalUpdate } from './updates.ts';

/** A question without an answer. */
interface OpenQuestion {
  index: number;
  approval: ApprovalCommand;
  /** Whether users can see it. */
  shown: boolean;
}

/** Asks users a question and waits for an answer, the deadline or a stop of the run. */
export function createApprovals(run: HeldRun, policy: RunPolicy, controller: RunController) {
  const answered = new Set<number>();
  let open: OpenQuestion | null = null;

  /** The question that an answer refers to: the open one, unless the answer names another. */
  const questionFor = (index: number | null) => (index === null || index === open?.index ? open : null);

  /** Submits an answer, or looks for a stored one. If several answers or the deadline compete, the store decides. */
  async function take(question: OpenQuestion, reply: ApprovalReply | null): Promise<ApprovalStatus> {
    await condition(() => question.shown);
    const { index } = question;
    const status = await CancellationScope.nonCancellable(() =>
      recordKeeping(policy, `take the answer: ${question.approval.question.slice(0, 80)}`).answerApproval({
        run,
        index,
        reply,
      }),
    );
    if (status !== 'pending') answered.add(index);
    return status;
  }

  const description =
    'Answers the question that the run waits with. Input: {"answer": "<one of its options>", "by": "<your name>"}.';

  setHandler(
    approvalSignal,
    async (given) => {
      const { index, answer, by } = replyOf(given);
      const question = questionFor(index);
      if (!question) return;
      const offered = answer !== null && question.approval.options.includes(answer);
      await take(question, offered ? { answer, by } : null).catch((thrown: unknown) => {
        if (!isCancellation(thrown)) log.warn('could not take an answer', { error: String(thrown) });
      });
    },
    { description, unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON },
  );

  setHandler(
    approvalUpdate,
    async (given?: unknown) => {
      const { index, answer, by } = replyOf(given);
      const question = questionFor(index);
      if (!question || answer === null) throw refusal(failureTypes.notAsked, 'The question is closed.');
      return take(question, { answer, by });
    },
    {
      description,
      unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON,
      validator(given?: unknown) {
        const { index, answer } = replyOf(given);
        const question = questionFor(index);
        if (!question || answered.has(question.index)) {
          throw refusal(failureTypes.notAsked, 'The run does not wait for an answer.');
        }
        const { options } = question.approval;
        if (answer === null || !options.includes(answer)) {
          throw refusal(failureTypes.noSuchOption, `The answer should be one of: ${options.join(', ')}.`);
        }
      },
    },
  );

  return async (index: number, approval: ApprovalCommand): Promise<ApprovalAnswer | undefined> => {
    const records = recordKeeping(policy, `ask: ${approval.question.slice(0, 80)}`);
    const question = { index, approval, shown: false };
    open = question;
    try {
      await records.openApproval({ run, index, approval });
      question.shown = true;
      await controller.waitUntil(
        () => answered.has(index),
        approval.deadline_seconds * 1000,
        'deadline of the answer',
      );
    } finally {
      open = null;
    }
    if (controller.current().stopping) return undefined;
    // An answer may arrive at the deadline; the store decides which came first.
    return CancellationScope.nonCancellable(() => records.settleApproval({ run, index }));
  };
}
