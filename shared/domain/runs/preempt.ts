import { WorkflowNotFoundError } from '@temporalio/client';
import { failureTypes } from '../../kernel/engine/failure-types.ts';
import { messageNames } from '../../kernel/engine/message-names.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { UpdateRefused, updateWorkflow } from '../../kernel/engine/updates.ts';
import { lockWorkflowId, runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { holderIn } from './holder.ts';
import type { PreemptingRun } from './run-model.ts';

/** The run that holds the project does not let another one use the chip in between. The text continues a message about it. */
export class NotPreempted extends Error {
  override readonly name = 'NotPreempted';
}

/**
 * Starts a run within the one that holds the project. The workflow of that run decides, and starts this one as its child. A
 * repeat has no effect and the same answer, because the update is identified by the execution.
 * @returns the id of the first run of its workflow; null if the other one has ended meanwhile
 * @throws NotPreempted
 */
export async function preempt(engine: Engine, wanted: PreemptingRun): Promise<string | null> {
  const { run } = wanted;
  const holder = engine.client.workflow.getHandle(lockWorkflowId(run.project_id));
  try {
    const update = { name: messageNames.preempt, id: run.execution_id };
    const answered = await updateWorkflow(engine, holder, update, wanted);
    const answer = answered?.answer;
    if (typeof answer === 'object' && answer !== null && 'flow_run_id' in answer)
      return String(answer.flow_run_id);
  } catch (thrown) {
    if (thrown instanceof WorkflowNotFoundError) return null;
    if (!(thrown instanceof UpdateRefused)) throw thrown;
    if (thrown.reason === failureTypes.notPreemptible || thrown.reason === failureTypes.runEnding) {
      throw new NotPreempted(thrown.message);
    }
  }
  // The answer may have been lost, or have come too late.
  const started = holderIn(await describeWorkflow(engine, runWorkflowId(run)));
  if (started) return started.flow_run_id;
  throw new NotPreempted('it does not allow other runs in between');
}
