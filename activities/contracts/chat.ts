/** Activities of queue `calibration` that send messages and export knowledge cases. Types only. */
import type { ChatThread } from '../../shared/domain/chat/model.ts';
import type { ExportedCase } from '../../shared/domain/knowledge-cases/model.ts';

/** Activities of queue `calibration` that send messages to the lab's chat. */
export interface ChatActivities {
  /** `sent` is false if no message is waiting. */
  sendNextMessage(thread: ChatThread): Promise<{ sent: boolean }>;
}

/** Activities of queue `calibration` that export knowledge cases. */
export interface KnowledgeActivities {
  writeKnowledgePage(input: ExportedCase): Promise<void>;
}
