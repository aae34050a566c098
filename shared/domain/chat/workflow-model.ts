import { workflowContract } from '../../kernel/engine/workflow-contract.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ChatThread } from './model.ts';

/** Sends the pending messages of a thread to the lab's chat. */
export const chatDelivery = workflowContract<(thread: ChatThread) => Promise<void>>('chatDelivery');

/** Id of the workflow that sends the messages of one thread to the lab's chat. */
export function chatWorkflowId(projectId: ProjectId, kind: string, threadId: string): string {
  return `chat:${projectId}/${kind}/${threadId}`;
}
