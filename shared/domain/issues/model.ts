import { z } from 'zod';
import { type ProjectId, type TaskId, taskIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import type { Actor } from '../accounts/model.ts';

/** Maximum number of characters of a text in an issue. */
const MAX_TEXT = 5000;

const isNotBlank = (text: string) => text.trim() !== '';
const text = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .refine(isNotBlank, { message: 'should hold more than white space', params: { type: 'value_error' } });
const title = z.string().max(200);

/** An issue about a task result, or a reply in its thread. */
export const issue = z
  .object({
    id: z.string(),
    task_id: taskIdSchema,
    user_id: userIdSchema.nullable().describe('Null for what a language model wrote.'),
    username: z.string(),
    avatar_key: z.string().nullable(),
    title: z.string().nullable().describe('Null in replies.'),
    content: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
    parent_id: z.string().nullable().describe('The issue that is replied to; null for an issue.'),
    reply_count: z.number().int(),
    is_closed: z.boolean(),
    is_ai_reply: z.boolean(),
  })
  .meta({ id: 'Issue' });
export type Issue = z.infer<typeof issue>;

export const issues = z.array(issue);
export const issueList = z.object({
  issues,
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export type IssueList = z.infer<typeof issueList>;

/** Body of POST /task-results/{task_id}/issues. With a parent_id it is a reply, and its title is ignored. */
export const newIssue = z.object({
  title: title.nullish(),
  content: text,
  parent_id: z.string().nullish(),
});
export type NewIssue = z.infer<typeof newIssue>;

/** Body of PATCH /issues/{issue_id}; a null or absent title is left unchanged. */
export const issueChange = z.object({ title: title.nullish(), content: text });
export type IssueChange = z.infer<typeof issueChange>;

/** A boolean query parameter; `all`, `null` and the empty value become null, which means both. */
const closedOrAll = z.preprocess(
  (given) => (typeof given === 'string' && /^(?:all|null|)$/i.test(given) ? null : given),
  boolean().nullable(),
);

/** Query of GET /issues. */
export const issueQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
  task_id: taskIdSchema.optional(),
  is_closed: closedOrAll
    .prefault(false)
    .describe('`false` for open ones, `true` for closed ones, `all` or `null` for both.'),
});
export type IssueQuery = z.infer<typeof issueQuery>;

/** Query of GET /task-results/{task_id}/issues. The default page usually holds all posts on a result. */
export const writtenQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(1000),
});
export type WrittenQuery = z.infer<typeof writtenQuery>;

/** Body of POST /issues/{issue_id}/ai-reply/stream. */
export const modelQuestion = z.object({ user_message: text });

/** A project member who acts on issues. */
export interface IssueActor extends Actor {
  /** Whether this user owns the project. */
  isOwner: boolean;
}

/** A stored reply; replies are stored in the order of arrival. */
export interface StoredReply {
  issue_id: string;
  /** Null for a language model's reply. */
  user_id: UserId | null;
  username: string;
  content: string;
  is_ai_reply: boolean;
  /** The user who requested the language model's reply. */
  asked_by: string | null;
  created_at: Date;
  updated_at: Date;
}

/**
 * An issue with its replies as stored; `_id` is `<project_id>/<issue_id>`. It is one document, so that a thread is
 * deleted as a whole and no reply can be added to an issue that was closed meanwhile.
 */
export interface IssueDocument {
  _id: string;
  project_id: ProjectId;
  issue_id: string;
  task_id: TaskId;
  user_id: UserId;
  username: string;
  title: string;
  content: string;
  is_closed: boolean;
  reply_count: number;
  replies: StoredReply[];
  created_at: Date;
  updated_at: Date;
}

/** An issue without its replies, for lists. */
export type IssueRow = Omit<IssueDocument, 'replies'>;
