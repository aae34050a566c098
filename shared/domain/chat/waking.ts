import { messageNames } from '../../kernel/engine/message-names.ts';
import { searchAttributes } from '../../kernel/engine/search-attributes.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE, chatWorkflowId, workflowNames } from '../../kernel/engine/workflow-ids.ts';
import type { ChatThread } from './model.ts';

/**
 * Tells the workflow of a thread that something waits, and starts it where it does not run. It is told ids alone: what is
 * sent stays in the store, and so out of histories.
 */
export async function wakeDelivery(engine: Engine, thread: ChatThread): Promise<void> {
  await withinDeadline(engine, () =>
    engine.client.workflow.signalWithStart<(thread: ChatThread) => Promise<void>>(
      workflowNames.chatDelivery,
      {
        workflowId: chatWorkflowId(thread.project_id, thread.kind, thread.id),
        taskQueue: CALIBRATION_QUEUE,
        args: [thread],
        signal: messageNames.chatWaiting,
        signalArgs: [],
        typedSearchAttributes: searchAttributes({ ProjectId: thread.project_id }),
        staticSummary: `Messages to the chat of ${thread.kind} ${thread.id}`,
      },
    ),
  );
}
