import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { boolean, integer, timestamp } from '../../kernel/wire.ts';
import { usernamePattern } from '../accounts/credential-rules.ts';

const colors = [
  'neutral',
  'primary',
  'secondary',
  'accent',
  'info',
  'success',
  'warning',
  'error',
  'ghost',
] as const;

const key = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9_-]*$/);
const icon = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9-]*$/);
export const MAX_SORT_ORDER = 10_000;
const sortOrder = integer({ min: 0, max: MAX_SORT_ORDER });

/** A category of threads as the API shows it. */
export const category = z
  .object({
    id: z.string(),
    project_id: projectIdSchema,
    key: z.string(),
    name: z.string(),
    description: z.string(),
    color: z.enum(colors),
    icon: z.string(),
    sort_order: z.number().int(),
    is_archived: z.boolean(),
  })
  .meta({ id: 'ForumCategory' });
export type Category = z.infer<typeof category>;

export const categoryList = z.object({ categories: z.array(category) });

/** Body of POST /forum/categories; a missing key is derived from the name. */
export const newCategory = z.object({
  key: key.nullish(),
  name: z.string().trim().min(1).max(80),
  description: z.string().max(200).nullish(),
  color: z.enum(colors).nullish(),
  icon: icon.nullish(),
  sort_order: sortOrder.nullish(),
});
export type NewCategory = z.infer<typeof newCategory>;

/** Body of PATCH /forum/categories/{category_key}: absent or null fields stay unchanged. */
export const categoryChange = newCategory
  .omit({ key: true })
  .extend({ name: newCategory.shape.name.nullish(), is_archived: boolean().nullish() });
export type CategoryChange = z.infer<typeof categoryChange>;

export const threadStatus = z.enum(['open', 'investigating', 'identified', 'resolved']);
export type ThreadStatus = z.infer<typeof threadStatus>;

const label = z.enum(['review', 'anomaly']);
export type Label = z.infer<typeof label>;

/** Former names of labels. */
const formerLabels: Readonly<Record<string, Label>> = {
  discussion: 'review',
  info: 'review',
  mtg: 'review',
};

/** A label in a request. */
const writtenLabel = z.preprocess((given) => {
  if (typeof given !== 'string') return given;
  const slug = given
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return Object.hasOwn(formerLabels, slug) ? formerLabels[slug] : slug;
}, label);

const targetType = z.enum(['qubit', 'coupling']);
export type TargetType = z.infer<typeof targetType>;

/** A document of the web client's block editor, as blocks. */
const contentBlocks = z.array(z.record(z.string(), z.unknown())).max(1000);
/** Maximum length of such a document in characters of JSON. */
const MAX_BLOCKS = 200_000;
const writtenBlocks = contentBlocks.refine((blocks) => JSON.stringify(blocks).length <= MAX_BLOCKS, {
  message: `should have at most ${MAX_BLOCKS} characters as JSON`,
  params: { type: 'value_error' },
});

/** A thread's first post, or a reply to it, as the API shows it. A reply repeats the subject of its thread. */
export const post = z
  .object({
    id: z.string(),
    project_id: projectIdSchema,
    number: z.number().int().describe("The thread's number in its project."),
    category: z.string(),
    user_id: userIdSchema.nullable().describe('Null for what the language model wrote.'),
    username: z.string(),
    avatar_key: z.string().nullable(),
    title: z.string().nullable().describe('Null for replies.'),
    content: z.string().describe('Markdown.'),
    content_blocks: contentBlocks.describe("The same text in the format of the client's editor."),
    parent_id: z.string().nullable(),
    labels: z.array(label),
    assignee_username: z.string().nullable(),
    status: threadStatus,
    chip_id: z.string().nullable(),
    target_type: targetType.nullable(),
    target_id: z.string().nullable(),
    cooldown_id: z.string().nullable(),
    reply_count: z.number().int(),
    is_deleted: z.boolean(),
    is_ai_reply: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ForumPost' });
export type Post = z.infer<typeof post>;

const title = z.string().trim().max(200);
const content = z.string().min(1).max(8000);
const reference = z.string().max(128);
/** Forms send an empty string for no value. */
const blankAsNull = (given: unknown) => (given === '' ? null : given);
const assignee = z.preprocess(
  blankAsNull,
  z.string().max(64).regex(usernamePattern, 'must be a username').nullable(),
);

/** Body of POST /forum/posts. With `parent_id` it is a reply, which only has content. */
export const newPost = z.object({
  category: z.string().max(64),
  title: title.nullish(),
  content,
  content_blocks: writtenBlocks.nullish(),
  parent_id: z.string().nullish(),
  labels: z.array(writtenLabel).max(1).nullish(),
  assignee_username: assignee.optional(),
  status: threadStatus.nullish(),
  chip_id: reference.nullish(),
  target_type: z.preprocess(blankAsNull, targetType.nullable()).optional(),
  target_id: reference.nullish(),
  cooldown_id: reference.nullish(),
});
export type NewPost = z.infer<typeof newPost>;

/**
 * Body of PATCH /forum/posts/{post_id}: absent fields stay unchanged; null clears assignee, cool-down and target, and leaves all
 * other fields unchanged.
 */
export const postChange = newPost
  .omit({ parent_id: true })
  .extend({ category: newPost.shape.category.nullish(), content: content.nullish() });
export type PostChange = z.infer<typeof postChange>;

/** Values that clients send for no value. */
const nothing = new Set(['', 'null']);

/** Query of GET /forum/posts. */
export const threadQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
  category: z.string().optional(),
  label: writtenLabel.optional(),
  chip_id: z.string().optional(),
  target_type: targetType.optional(),
  target_id: z.string().optional(),
  cooldown_id: z.string().optional(),
  number: integer({ min: 1 }).optional(),
  status: z
    .preprocess(
      (given) => (typeof given === 'string' && nothing.has(given) ? 'all' : given),
      z.enum([...threadStatus.options, 'all']),
    )
    .prefault('open')
    .describe('`all`, or an empty value, for threads of every status.'),
  q: z
    .string()
    .trim()
    .max(128)
    .refine((text) => !text.includes('\u0000'), {
      message: 'should hold no NUL',
      params: { type: 'value_error' },
    })
    .optional()
    .describe(
      'A part of title, content, chip, target, cool-down, assignee, status, category or label, or #number.',
    ),
});
export type ThreadQuery = z.infer<typeof threadQuery>;

export const threadPage = z.object({
  posts: z.array(post),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export type ThreadPage = z.infer<typeof threadPage>;

/** Query of GET /forum/posts/{post_id}/replies. */
export const replyQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(100),
});
export type ReplyQuery = z.infer<typeof replyQuery>;

/** Body of POST /forum/posts/{post_id}/ai-reply/stream. */
export const aiQuestion = z.object({ user_message: z.string().min(1).max(8000) });

/** `_id` is `<project>/<key>`. */
export interface CategoryDocument extends Category {
  _id: string;
  created_at: Date;
}

/** Common fields of threads and replies. */
interface Written {
  /** `<project>/<id>`. */
  _id: string;
  project_id: ProjectId;
  id: string;
  /** Null for the language model. */
  user_id: UserId | null;
  username: string;
  content: string;
  content_blocks: Record<string, unknown>[];
  is_deleted: boolean;
  is_ai_reply: boolean;
  created_at: Date;
  updated_at: Date;
}

/** The subject of a thread: a target of a chip, or none. */
export interface ThreadTarget {
  chip_id: string | null;
  target_type: TargetType | null;
  target_id: string | null;
}

/** Fields of a thread in addition to those of its first post. */
export interface ThreadFields extends ThreadTarget {
  title: string;
  category: string;
  labels: Label[];
  assignee_username: string | null;
  status: ThreadStatus;
  cooldown_id: string | null;
}

export interface ThreadDocument extends Written, ThreadFields {
  number: number;
  /** Incremented by each new reply and each change, so that neither overlooks the other. */
  revision: number;
}

/** Fields by which lists are filtered. */
export type ThreadFiling = Pick<
  ThreadDocument,
  'status' | 'category' | 'labels' | 'chip_id' | 'target_type' | 'target_id' | 'cooldown_id'
>;

/** The search's entry for the thread with a given number. */
export interface SearchSlot {
  /** The thread's text in lower case; null while it is not indexed. */
  text: string | null;
  /** Null if lists no longer show the thread. */
  filing: ThreadFiling | null;
  /** Revision of the thread that this entry belongs to, or that will replace it; -1 for none. */
  revision: number;
}

/** The search's entries for threads with consecutive numbers, in order; `_id` is `<project>/<block>`. */
export interface SearchBlockDocument {
  _id: string;
  project_id: ProjectId;
  block: number;
  slots: SearchSlot[];
}

/** `_id` is the project. */
export interface SearchVersionsDocument {
  _id: string;
  /** By block: a number that is incremented after each change of the block. */
  versions: Record<string, number>;
}

export interface ReplyDocument extends Written {
  /** Id of the thread. */
  parent_id: string;
}

/** Number of threads and replies ever created in a project; `_id` is the project. */
export interface ForumCountDocument {
  _id: string;
  /** Lower bound of the newest number in use. */
  last_number: number;
  replies: number;
}
