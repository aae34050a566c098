import { continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ChatActivities } from '../activities/contracts/chat.ts';
import type { ChatThread } from '../shared/domain/chat/model.ts';
import { chatWaitingSignal } from './signals.ts';

const { sendNextMessage } = proxyActivities<ChatActivities>({
  startToCloseTimeout: '30 seconds',
  // No limit here: the activity itself gives up a message that has become too old.
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
  summary: 'send the next message',
});

/**
 * Sends the messages of one thread to the lab's chat, in order, and ends when none is left. The workflow id is that of the
 * thread, so only one workflow sends its messages.
 */
export async function chatDelivery(thread: ChatThread): Promise<void> {
  let asked = true;
  setHandler(chatWaitingSignal, () => {
    asked = true;
  });
  while (asked) {
    asked = false;
    while ((await sendNextMessage(thread)).sent) {
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof chatDelivery>(thread);
    }
  }
}
