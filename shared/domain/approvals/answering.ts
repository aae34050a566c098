import { WorkflowNotFoundError } from '@temporalio/client';
import { messageNames } from '../../kernel/engine/message-names.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { UpdateRefused, updateWorkflow } from '../../kernel/engine/updates.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { ApprovalError } from './errors.ts';
import type { Approval, ApprovalDocument } from './model.ts';
import { parseApprovalId } from './rules.ts';
import type { ApprovalFilter, ApprovalStore } from './store.ts';
import { approvalOf } from './wire.ts';

/** Lets clients read and answer the questions of flows. */
export function createAnswers({ engine, store }: { engine: Engine; store: ApprovalStore }) {
  const runOf = (approval: ApprovalDocument) =>
    engine.client.workflow.getHandle(runWorkflowId(approval), approval.flow_run_id);

  /** Wakes the waiting run; a run that has ended is ignored. */
  async function wake(approval: ApprovalDocument): Promise<void> {
    try {
      await withinDeadline(engine, () =>
        runOf(approval).signal(messageNames.approval, { index: approval.index }),
      );
    } catch (thrown) {
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
  }

  /** Delivers an answer to the run. If no worker serves the run now, the answer is in the store and a signal announces it. */
  async function give(approval: ApprovalDocument, answer: string, by: string): Promise<void> {
    const { index } = approval;
    try {
      if (await updateWorkflow(engine, runOf(approval), messageNames.approval, { index, answer, by })) return;
    } catch (thrown) {
      if (thrown instanceof UpdateRefused) return;
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
    const at = new Date();
    const won =
      at < approval.deadline &&
      (await store.settle(approval, { status: 'answered', answer, answered_by: by, answered_at: at }));
    if (won) await wake(won);
  }

  async function find(projectId: ProjectId, id: string): Promise<ApprovalDocument> {
    const command = parseApprovalId(id);
    const found = command && (await store.get(projectId, command.execution_id, command.index));
    if (!found) throw new CalibronError('not_found', 'There is no such approval in this project.');
    return found;
  }

  return {
    async list(projectId: ProjectId, filter: ApprovalFilter, page: { skip: number; limit: number }) {
      const { items, total } = await store.page(projectId, filter, page);
      return { approvals: items.map(approvalOf), total, ...page };
    },

    /**
     * Answers a question. Of several concurrent answers, one wins. Repeating the same answer as the same user changes nothing.
     * @throws not_found; already_answered when it is no longer open; invalid_input for an answer that is not an option
     */
    async answer(projectId: ProjectId, id: string, username: string, answer: string): Promise<Approval> {
      const approval = await find(projectId, id);
      if (!approval.options.includes(answer)) {
        const msg = `should be one of: ${approval.options.join(', ')}`;
        throw new CalibronError('invalid_input', `answer ${msg}`, {
          problems: [{ type: 'enum', loc: ['body', 'answer'], msg }],
        });
      }
      const isOpen = approval.status === 'pending';
      if (isOpen) await give(approval, answer, username);
      const settled = await find(projectId, id);
      const isOwn =
        settled.status === 'answered' && settled.answer === answer && settled.answered_by === username;
      if (isOpen && isOwn) return approvalOf(settled);
      // The process that stored the answer may have died before it woke the run.
      if (settled.status === 'answered') await wake(settled);
      if (isOwn) return approvalOf(settled);
      throw new ApprovalError('already_answered', closedMessage(settled));
    },
  };
}

function closedMessage({ status, answer, answered_by }: ApprovalDocument): string {
  switch (status) {
    case 'answered':
      return `${answered_by} has answered this question with "${answer}".`;
    case 'withdrawn':
      return 'The run that asked this question has ended.';
    case 'expired':
    case 'pending':
      return `The deadline of this question has passed; the run continues with its default.`;
  }
}
