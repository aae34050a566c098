import { messageNames } from '../../kernel/engine/message-names.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { shareOfUser } from '../../kernel/engine/shares.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import type { WorkflowOf } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import type { UserId } from '../../kernel/ids.ts';
import type { ChatThread } from './model.ts';
import { chatDelivery, chatWorkflowId } from './workflow-model.ts';

/**
 * Signals the workflow of a thread that a message is pending, and starts the workflow if it is not running. Only ids are sent, so
 * that messages stay in the store and out of workflow histories.
 * @param userId the user whose share the delivery uses; null if no user waits for it, then the project has its own share
 */
export async function wakeDelivery(engine: Engine, thread: ChatThread, userId: UserId | null): Promise<void> {
  await withinDeadline(engine, () =>
    engine.client.workflow.signalWithStart<WorkflowOf<typeof chatDelivery>>(chatDelivery.name, {
      workflowId: chatWorkflowId(thread.project_id, thread.kind, thread.id),
      taskQueue: CALIBRATION_QUEUE,
      priority: shareOfUser(userId || thread.project_id),
      args: [thread],
      signal: messageNames.chatWaiting,
      signalArgs: [],
      typedSearchAttributes: searchAttributes({ ProjectId: thread.project_id }),
      staticSummary: `Messages to the chat of ${thread.kind} ${thread.id}`,
    }),
  );
}
