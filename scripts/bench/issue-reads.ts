import type { IssueDocument, StoredReply } from '../../shared/domain/issues/model.ts';
import type { Db } from '../../shared/kernel/database.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { taskNamed, userNamed } from '../../test/support/ids.ts';
import type { Get, Query } from './api-client.ts';
import type { Read } from './timed-reads.ts';

/** Documents per insert. */
const BATCH = 2_000;
/** Issues per task result, and number of authors. */
const ISSUES_PER_TASK = 4;
const PEOPLE = 20;
/** One in OPEN_EVERY issues is open, and one in REPLIED_EVERY has replies. */
const OPEN_EVERY = 5;
const REPLIED_EVERY = 3;

export interface FilledIssues {
  project: ProjectId;
  /** When the last issue was opened. */
  end: Date;
  count: number;
}

const hex = (index: number) => index.toString(16).padStart(24, '0');

function replyOf(index: number, number: number, at: Date): StoredReply {
  const person = (index + number) % PEOPLE;
  return {
    issue_id: hex(1e9 + index * 10 + number),
    user_id: userNamed(`user-${person}`),
    username: `user-${person}`,
    content: `Measured again, attempt ${number}: the same kink at the end of the curve.`,
    is_ai_reply: false,
    asked_by: null,
    created_at: at,
    updated_at: at,
  };
}

/** Issue number `index` of `count`: one per minute, a few per task result. */
function issueOf({ project, end, count }: FilledIssues, index: number): IssueDocument {
  const created_at = new Date(end.getTime() - (count - 1 - index) * 60_000);
  const reply_count = index % REPLIED_EVERY === 0 ? 1 + (index % 7) : 0;
  const issue_id = hex(index);
  return {
    _id: keyOf(project, issue_id),
    project_id: project,
    issue_id,
    task_id: taskNamed(`task-${Math.floor(index / ISSUES_PER_TASK)}`),
    user_id: userNamed(`user-${index % PEOPLE}`),
    username: `user-${index % PEOPLE}`,
    title: `Short T1 on qubit ${index % 144}`,
    content: 'The value fell to a third over night; the curve has a kink at the end.',
    is_closed: index % OPEN_EVERY !== 0,
    reply_count,
    replies: Array.from({ length: reply_count }, (_, number) => replyOf(index, number, created_at)),
    created_at,
    updated_at: created_at,
  };
}

/** Stores the issues of a project. */
export async function fillIssues(db: Db, filled: FilledIssues): Promise<void> {
  const issues = db.collection<IssueDocument>('issues');
  for (let first = 0; first < filled.count; first += BATCH) {
    const length = Math.min(BATCH, filled.count - first);
    const made = Array.from({ length }, (_, offset) => issueOf(filled, first + offset));
    await issues.insertMany(made, { ordered: false });
  }
}

/** Typical reads of issues. Each list includes the total count for its filter. */
export function issueReadsOf({ count }: FilledIssues, get: Get): Read[] {
  const list = (filter: Query) => get('/issues', { limit: 50, ...filter });
  const taskOf = (question: number) => `task-${question % Math.ceil(count / ISSUES_PER_TASK)}`;
  const of = (question: number) => hex((question * REPLIED_EVERY) % count);
  const budget = 'p95 50 ms';
  return [
    {
      name: 'issues, newest 50 open ones and their count',
      budget,
      ask: () => list({ is_closed: 'false' }),
    },
    { name: 'issues, newest 50 of all and their count', budget, ask: () => list({ is_closed: 'all' }) },
    {
      name: 'issues, a later page of closed ones',
      budget,
      ask: (question) => list({ is_closed: 'true', skip: 50 * (question % 20) }),
    },
    {
      name: 'issues on one result, all with replies',
      budget,
      ask: (question) => get(`/task-results/${taskOf(question)}/issues`),
    },
    {
      name: 'one issue, and its replies',
      budget,
      ask: (question) =>
        Promise.all([get(`/issues/${of(question)}`), get(`/issues/${of(question)}/replies`)]),
    },
  ];
}
