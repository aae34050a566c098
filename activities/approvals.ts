import { answerOfApproval } from '../shared/domain/approvals/rules.ts';
import type { Areas } from '../shared/domain/areas.ts';
import { flowRunIdOf } from '../shared/domain/executions/id-rules.ts';
import { keyOf } from '../shared/kernel/ids.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import { notStartable } from './not-startable.ts';

/** Questions that a flow asks people: shown, answered and settled. */
export function createApprovalActivities(
  areas: Pick<Areas, 'executions' | 'approvals'>,
): Pick<CalibrationActivities, 'openApproval' | 'answerApproval' | 'settleApproval'> {
  const { approvals } = areas;
  const { store: executions } = areas.executions;

  return {
    /** Shows a flow's question to users. The deadline counts from the first call. */
    async openApproval({ run, index, approval }) {
      const execution = await executions.get(run.project_id, run.execution_id);
      const at = new Date();
      await approvals.open({
        _id: keyOf(run.project_id, run.execution_id, index),
        project_id: run.project_id,
        execution_id: run.execution_id,
        index,
        flow_run_id: execution ? flowRunIdOf(execution) : '',
        ...(run.preempts !== undefined && { preempts: run.preempts }),
        question: approval.question,
        options: approval.options,
        default: approval.default,
        deadline: new Date(at.getTime() + approval.deadline_seconds * 1000),
        status: 'pending',
        answer: null,
        answered_by: null,
        answered_at: null,
        created_at: at,
      });
    },

    /**
     * Accepts an answer if it is the first and before the deadline, or checks for an accepted one.
     * @returns the question's status
     */
    async answerApproval({ run, index, reply }) {
      const { project_id, execution_id } = run;
      const approval = await approvals.get(project_id, execution_id, index);
      if (!approval) throw notStartable(`Command ${index} is not a question.`);
      const at = new Date();
      if (reply && at < approval.deadline) {
        const { answer, by } = reply;
        await approvals.settle(approval, { status: 'answered', answer, answered_by: by, answered_at: at });
      }
      return ((await approvals.get(project_id, execution_id, index)) ?? approval).status;
    },

    /** Closes a question with its answer, or with its default if there is none. */
    async settleApproval({ run, index }) {
      const approval = await approvals.get(run.project_id, run.execution_id, index);
      if (!approval) throw notStartable(`Command ${index} is not a question.`);
      const expired = await approvals.settle(approval, {
        status: 'expired',
        answer: approval.default,
        answered_by: null,
        answered_at: new Date(),
      });
      const settled = expired ?? (await approvals.get(run.project_id, run.execution_id, index));
      return answerOfApproval(settled ?? approval);
    },
  };
}
