import type { ChatMessage } from '../chat/model.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Issue, IssueDocument } from './model.ts';

/** Colour of the bar beside a message. */
const COLORS = { open: '#3a5ccc', closed: '#18794e' } as const;

/** The chat message that starts an issue's thread in the lab's chat. */
export function messageOfIssue(
  issue: Pick<IssueDocument, 'issue_id' | 'title' | 'content' | 'username'>,
  task: Pick<TaskResultDocument, 'name' | 'chip_id' | 'qid'>,
  { clientUrl, environment }: { clientUrl: string; environment: string },
): ChatMessage {
  return {
    headline: { text: issue.title, url: `${clientUrl.replace(/\/+$/, '')}/issues/${issue.issue_id}` },
    fields: [
      { name: 'Author', value: issue.username },
      { name: 'Environment', value: environment },
      { name: 'Chip', value: task.chip_id },
      { name: 'Target', value: task.qid || '-' },
      { name: 'Task', value: task.name },
    ],
    text: issue.content,
    color: COLORS.open,
  };
}

/** The chat message for a reply. */
export function messageOfIssueReply({ username, content }: Pick<Issue, 'username' | 'content'>): ChatMessage {
  return { headline: { text: username, url: null }, fields: [], text: content, color: null };
}

/** The chat message for closing or reopening. */
export function messageOfState(username: string, isClosed: boolean): ChatMessage {
  const [before, after] = isClosed ? (['open', 'closed'] as const) : (['closed', 'open'] as const);
  return {
    headline: { text: `${username}: ${before} → ${after}`, url: null },
    fields: [],
    text: '',
    color: COLORS[after],
  };
}
