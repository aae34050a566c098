/** Activities of queue `calibration` that send messages and export what projects learnt. Types only. */
import type { ChatThread } from '../../shared/domain/chat/model.ts';
import type { ExportedCase } from '../../shared/domain/knowledge-cases/model.ts';

/** Activities of queue `calibration` that send messages to the lab's chat. */
export interface ChatActivities {
  /** `sent` is false when nothing waits any more. */
  sendNextMessage(thread: ChatThread): Promise<{ sent: boolean }>;
}

/** Activities of queue `calibration` that export what projects learnt. */
export interface KnowledgeActivities {
  writeKnowledgePage(input: ExportedCase): Promise<void>;
}
